import { execFileSync } from 'node:child_process';
import path from 'node:path';
import should from 'should';

const MIB = 1024 ** 2;
const STARTER = path.resolve('test/service/support/start-with-threads.ts');
const KERNEL = path.resolve('test/service/support/kernels/print-cap.mjs');

describe('startKernel', () => {
  it('caps the memory of a kernel process alike, however many threads this process has', () => {
    const [alone = 0, beside = 0] = ['0', '3'].map((threads) =>
      Number(execFileSync(process.execPath, ['--import=tsx', STARTER, threads, KERNEL], { encoding: 'utf8' })),
    );
    should(alone).be.aboveOrEqual(300 * MIB);
    should(beside - alone).be.within(0, 16 * MIB); // that much code of the threads is not in a range of 512 MiB
  });
});
