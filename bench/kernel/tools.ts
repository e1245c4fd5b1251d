import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundle } from './bundle.js';
import { isInstalled, runTool } from './run-tool.js';

/** The result of a tool for a model. */
export interface Repaired {
  /** column → file to check; empty if the tool produced nothing */
  files: Record<string, string>;
  ms: number;
  peakMb?: number;
  /** column → level that the tool reports */
  claims?: Record<string, string>;
}

/** A repair tool. */
export interface Tool {
  /** The columns of the result, one per output file. */
  columns: string[];
  repair(file: string, folder: string): Repaired;
}

/** Time limit of a tool per model. */
const TIMEOUT_MS = 120_000;
/** The input as STL, if the model has another format. */
const INPUT_STL = 'untouched.stl';

function isStl(file: string): boolean {
  return file.toLowerCase().endsWith('.stl');
}

/**
 * Returns this package, in a separate process, and the installed tools. The latter get STL, which this package has
 * written from other formats.
 */
export async function findTools(): Promise<Tool[]> {
  const program = await bundle('repair-once');
  const tools = [ours(program)];
  if (isInstalled('admesh'))
    tools.push(other('admesh', (file, outputFile) => [`--write-binary-stl=${outputFile}`, file]));
  if (isInstalled('prusa-slicer')) {
    tools.push(other('prusa-slicer', (file, outputFile) => ['--repair', '--export-stl', '-o', outputFile, file]));
  }
  return tools;
}

function ours(program: string): Tool {
  return {
    columns: ['ours', 'ours, as STL'],
    repair(file, folder) {
      const [stl, off] = [path.join(folder, 'ours.stl'), path.join(folder, 'ours.off')];
      const untouched = isStl(file) ? [] : [path.join(folder, INPUT_STL)];
      const { stdout, ms } = runTool(process.execPath, [program, file, stl, off, ...untouched], TIMEOUT_MS);
      if (!stdout.startsWith('{')) return { files: {}, ms };
      // The output is not validated: the program is part of this repository.
      const output = JSON.parse(stdout) as { wholeMs: number; peakMb: number; level: string; stlLevel: string };
      const claims = { ours: output.level, 'ours, as STL': output.stlLevel };
      return { files: { ours: off, 'ours, as STL': stl }, ms: output.wholeMs, peakMb: output.peakMb, claims };
    },
  };
}

function other(name: string, args: (file: string, outputFile: string) => string[]): Tool {
  return {
    columns: [name],
    repair(file, folder) {
      const outputFile = path.join(folder, `${name}.stl`);
      const { ms, peakMb } = runTool(
        name,
        args(isStl(file) ? file : path.join(folder, INPUT_STL), outputFile),
        TIMEOUT_MS,
      );
      const files: Record<string, string> = existsSync(outputFile) ? { [name]: outputFile } : {};
      return peakMb === undefined ? { files, ms } : { files, ms, peakMb };
    },
  };
}
