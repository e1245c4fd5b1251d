import { existsSync, readFileSync } from 'node:fs';
import { ZipArchive } from '../../src/mesh/formats/zip/zip-reader.js';
import { runTool } from '../kernel/run-tool.js';

const TIMEOUT_MS = 600_000;
/** A bed for models of a diagonal of 150 mm, few pixels and thick layers: only the hollowing is measured. */
const SLA_OPTIONS = [
  ...['--export-sla', '--printer-technology', 'SLA', '--supports-enable=0', '--pad-enable=0'],
  ...['--bed-shape', '0x0,400x0,400x400,0x400', '--display-width', '400', '--display-height', '400'],
  ...['--display-pixels-x', '400', '--display-pixels-y', '400', '--max-print-height', '400'],
  ...['--layer-height', '0.5', '--initial-layer-height', '0.5', '--hollowing-enable', '--loglevel', '3'],
];
/** The first messages of the log within and after the steps that hollow a model. */
const [START, END] = ['Performing hollowing step!', 'Slicing model'];

/** The hollowing of a model by PrusaSlicer. */
export interface PrusaHollowing {
  /** From the log: the steps that create the interior and the hollow mesh. */
  hollowMs: number;
  hasCavity: boolean;
  /** The volume of the layers of the print. */
  volumeMm3: number;
}

/** Repairs a model by PrusaSlicer, from STL to STL. Returns the wall time of the process in ms. */
export function repairByPrusaSlicer(source: string, target: string): number {
  return runTool('prusa-slicer', ['--repair', '--export-stl', '-o', target, source], TIMEOUT_MS).ms;
}

/**
 * Hollows a model by PrusaSlicer for a print. It does not export the hollow mesh, only its layers. `quality`: from 0 to 1,
 * the default is 0.5. Returns `undefined` if it fails.
 */
export function hollowByPrusaSlicer(
  source: string,
  target: string,
  wallMm: number,
  quality: number,
): PrusaHollowing | undefined {
  const options = ['--hollowing-min-thickness', String(wallMm), '--hollowing-quality', String(quality)];
  const { stdout, stderr } = runTool('prusa-slicer', [...SLA_OPTIONS, ...options, '-o', target, source], TIMEOUT_MS);
  const lines = `${stdout}\n${stderr}`.split('\n');
  const start = lines.findIndex((line) => line.includes(START));
  const end = lines.findIndex((line, index) => index > start && line.startsWith('[') && line.includes(END));
  if (start < 0 || end < 0 || !existsSync(target)) return undefined;
  const hollowMs = parseTime(lines[end]) - parseTime(lines[start]);
  const hasCavity = !lines.some((line) => line.includes('Hollowed interior is empty'));
  return { hollowMs, hasCavity, volumeMm3: readMaterial(target) * 1000 };
}

/** Returns the time of a line such as `[2026-11-23 20:32:51.070881] [0x00007f6b70cd0d80] [info]    Text` in ms. */
function parseTime(line = ''): number {
  const [, date, time, microseconds] = /^\[(\S+) (\S+)\.(\d{6})\]/.exec(line) ?? [];
  return Date.parse(`${date}T${time}Z`) + Number(microseconds) / 1000;
}

/** Returns the milliliters of material of an SL1 file, from its `config.ini`. */
function readMaterial(file: string): number {
  const archive = new ZipArchive(readFileSync(file));
  const config = new TextDecoder().decode(archive.read('config.ini'));
  return Number(/^usedMaterial = (.*)$/m.exec(config)?.[1]);
}
