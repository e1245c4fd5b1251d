import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

/** Runs `bench/s3-upload.ts`, whose own result has the rounds. */
export async function measureUpload() {
  const args = ['--import', 'tsx', 'bench/s3-upload.ts'];
  const [status] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  if (status !== 0 && status !== 1) throw new Error(`bench/s3-upload.ts has ended (${status}).`);
  const { sizeMib, ratio, growthMib } = JSON.parse(await readFile('bench/results/s3-upload.json', 'utf8'));
  return { sizeMib, speedOfBareUpload: { ratio, reach: 0.7 }, growthMib: { most: growthMib, reach: 100 } };
}
