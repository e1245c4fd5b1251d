// The tables of CONTRIBUTING.md, of what `suites.mjs` and `benches.mjs` list. `npm run generate` writes them.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BENCHES } from './benches.mjs';
import { SOAK, SUITES } from './suites.mjs';

function createRow(...cells) {
  return `| ${cells.map((cell) => cell || ' ').join(' | ')} |`.replaceAll('|   |', '| |');
}

function createTable(head, rows) {
  return [createRow(...head), `|${'---|'.repeat(head.length)}`, ...rows.map((row) => createRow(...row))].join('\n');
}

/** Returns the table of the suites. */
function createSuiteTable() {
  const rows = SUITES.map(({ name, checks, needs }) => [`\`npm run suite -- ${name}\``, checks, needs]);
  const parts = SOAK.map(({ name }) => `\`${name}\``).join(', ');
  rows.push(
    [
      '`npm run soak`',
      `the parts ${parts} in full: kills, power losses, outages, altered bytes and faults of all machines, after which everything that was acknowledged must be there; damaged files for all readers. \`npm run soak -- power\` runs one`,
      'Linux, two hours, what `databases` needs, `strace`',
    ],
    ['`.ci/run`', 'all suites, and the soak with the counts of the gate', 'Debian, root: installs all of the above'],
  );
  return createTable(['command', 'tests', 'needs'], rows);
}

/** Returns the table of the benches. */
function createBenchTable() {
  const rows = BENCHES.map(({ name, args, measures, needs }) => [
    `\`npm run bench -- ${name}${args ? ` ${args}` : ''}\``,
    measures,
    needs,
  ]);
  return createTable(['command', 'measures', 'needs'], rows);
}

/** Returns a text whose tables, each after a comment `<!-- suites -->` or `<!-- benches -->`, are current. */
export function updateTables(text) {
  const tables = { suites: createSuiteTable(), benches: createBenchTable() };
  return text.replace(/(<!-- (suites|benches) -->\n\n)(?:\|.*\n)*/g, (_, head, name) => `${head}${tables[name]}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL('../CONTRIBUTING.md', import.meta.url));
  writeFileSync(file, updateTables(readFileSync(file, 'utf8')));
}
