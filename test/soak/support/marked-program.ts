import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** A copy of the built program whose processes can be found, orphans included, by their folder for temporary files. */
export interface MarkedProgram {
  /** The path of the command line. */
  file: string;
  /** To be set in the environment of its processes. */
  environment: { TMPDIR: string };
  /** Returns the ids of all its processes that run. */
  findProcesses(): number[];
}

/** Copies the built program to a folder, so that a concurrent build does not affect the test. */
export function copyProgram(folder: string): MarkedProgram {
  const marker = path.join(folder, 'temporary');
  mkdirSync(marker);
  cpSync('dist/src', path.join(folder, 'program'), { recursive: true });
  cpSync('package.json', path.join(folder, 'package.json'));
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'));
  return {
    file: path.join(folder, 'program/cli.js'),
    environment: { TMPDIR: marker },
    findProcesses: () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name) && isOf(name, marker))
        .map(Number),
  };
}

function isOf(pid: string, marker: string): boolean {
  try {
    const isZombie = /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
    return !isZombie && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`TMPDIR=${marker}\0`);
  } catch {
    return false; // the process has exited in the meantime
  }
}
