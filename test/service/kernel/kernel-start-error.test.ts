import should from 'should';
import { explainEarlyExit, explainKernelStartError } from '../../../src/service/kernel/kernel-start-error.js';

const createError = (code: string, path?: string) => Object.assign(new Error(`spawn ${code}`), { code, path });

describe('explainKernelStartError', () => {
  for (const [code, path, isPresent, message] of [
    ['ENOENT', '/bin/sh', false, /this system has no \/bin\/sh, which limits its memory\. Install a shell/],
    ['ENOENT', '/opt/node', true, /\/opt\/node is missing\. Reinstall it\.$/],
    ['EACCES', '/bin/sh', true, /this user may not run \/bin\/sh\. .*noexec/],
    ['EAGAIN', '/bin/sh', true, /the limit of processes is reached\. Raise it/],
    ['EMFILE', '/bin/sh', true, /too many files are open\. Raise the limit of open files \(ulimit -n\)/],
    ['ENOMEM', undefined, true, /memory is short\. Add memory/],
    ['E2BIG', undefined, true, /the system refused it \(E2BIG\)\. See the service log/],
  ] as const)
    it(`says why a process could not be started: ${code} of ${path}`, () => {
      const error = explainKernelStartError(createError(code, path), () => isPresent);
      should(error.code).equal('KERNEL_UNAVAILABLE');
      should(error.message)
        .match(/^Could not start a process for the operation: /)
        .and.match(message);
    });
});

describe('explainEarlyExit', () => {
  it('says that Node.js, the program or the limit of the user is the reason', () => {
    for (const [stderr, code, message] of [
      ['/bin/sh: 1: exec: /usr/bin/node: not found', 127, /cannot be run\. If it was updated or removed/],
      ['', 126, /cannot be run/],
      ["Error: Cannot find module '/app/dist/src/service/kernel-process.js'", 1, /its program cannot be run/],
      ["bwrap: Can't find source path /app: No such file", 1, /got no sandbox \(Can't find.*restart/],
      ['/bin/sh: 1: exec: /usr/bin/nice: not found', 127, /cannot be run/],
      ['nice: /usr/bin/bwrap: No such file or directory', 127, /got no sandbox \(\/usr\/bin\/bwrap: No such file/],
      ['/bin/sh: 1: ulimit: error setting limit (Operation not permitted)', 2, /\(ulimit -Hd\) is lower .*--memory/],
    ] as const)
      should(explainEarlyExit({ stderr, code })?.message).match(message);
  });

  it('returns undefined for a crash of the kernel', () => {
    for (const [stderr, code] of [
      ['', 1],
      ["Error: Cannot find module 'occt-import-js'", 1],
      ['', null],
    ] as const)
      should(explainEarlyExit({ stderr, code })).be.undefined();
  });
});
