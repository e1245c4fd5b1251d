import { BOX_FACES, BOX_POINTS } from './box.js';

const UNITS = { inch: '1,4HINCH', mm: '2,2HMM' };

function line(text: string, section: string, number: number): string {
  return `${text.padEnd(72)}${section}${String(number).padStart(7)}`;
}
function field(value: number | string): string {
  return String(value).padStart(8);
}

/** Returns an IGES of the box in the given unit. Each side is a ruled surface between two lines. */
export function igesBox(unit: keyof typeof UNITS): Buffer {
  const parameters: string[] = [];
  const directory: string[] = [];
  const add = (type: number, isInner: boolean, data: string): number => {
    const pointer = directory.length + 1;
    const offset = parameters.length + 1;
    parameters.push(line(`${data.padEnd(64)}${field(pointer)}`, 'P', offset));
    const status = isInner ? '00010000' : '00000000';
    const first = [type, offset, 0, 0, 0, 0, 0, 0].map(field).join('') + status;
    const second = [type, 0, 0, 1, 0].map(field).join('');
    directory.push(line(first, 'D', pointer), line(second, 'D', pointer + 1));
    return pointer;
  };
  const edge = (a: number, b: number): number =>
    add(110, true, `110,${[...(BOX_POINTS[a] ?? []), ...(BOX_POINTS[b] ?? [])].map((x) => `${x}.`).join()};`);
  for (const [a, b, c, d] of BOX_FACES) {
    const [first, second] = [edge(a, b), edge(d, c)];
    add(118, false, `118,${first},${second},0,0;`);
  }
  const global = [
    '1H,,1H;,3Hbox,6Ha.iges,4Htest,4Htest,32,38,6,308,15,3Hbox,1.,',
    `${UNITS[unit]},1,0.01,15H20260101.000000,0.0001,100.,4Htest,4Htest,11,0,`,
    '15H20260101.000000;',
  ];
  const count = (section: string, lines: readonly string[]): string => `${section}${String(lines.length).padStart(7)}`;
  const end = `${count('S', [''])}${count('G', global)}${count('D', directory)}${count('P', parameters)}`;
  const lines = [
    line('', 'S', 1),
    ...global.map((text, i) => line(text, 'G', i + 1)),
    ...directory,
    ...parameters,
    line(end, 'T', 1),
  ];
  return Buffer.from(`${lines.join('\n')}\n`);
}
