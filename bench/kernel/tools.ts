import { existsSync } from 'node:fs';
import path from 'node:path';
import { bundle } from './bundle.js';
import { isInstalled, runTool } from './run-tool.js';

/** What a tool made of a model. */
export interface Repaired {
  /** Files to be judged, by the name of their column; none where the tool gave nothing. */
  files: Record<string, string>;
  ms: number;
  peakMb?: number;
  /** The levels that the tool itself claims, by column. */
  claims?: Record<string, string>;
}

/** A tool that repairs. */
export interface Tool {
  /** Columns of the result: one for each file that it writes. */
  columns: string[];
  repair(file: string, folder: string): Repaired;
}

/** Each tool has this long for a model. */
const TIMEOUT_MS = 120_000;
/** The model as it came, as STL, where it was something else. */
const INPUT_STL = 'untouched.stl';

const isStl = (file: string): boolean => file.toLowerCase().endsWith('.stl');

/** Ours in a process of its own, and what is installed of the others. They get STL, whatever the model is: ours has written it. */
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
      // The program is ours: the form of its line is known.
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
