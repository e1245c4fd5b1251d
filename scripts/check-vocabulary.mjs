// Reports identifiers that a standard term has replaced: node scripts/check-vocabulary.mjs [FOLDER]
// retired-names.tsv lists them, each with its replacement. Comments and strings are free; docs/glossary.md has the terms.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import jsTokens from 'js-tokens';

const FOLDERS = ['src', 'nodes', 'resources', 'scripts', 'bench', 'test'];
/** Bundles, which contain code of others. */
const BUNDLES = ['resources/viewer.js'];
const SCRIPT = /<script\b[^>]*text\/javascript[^>]*>([\s\S]*?)<\/script>/g;
const LINE_BREAK = /\r?\n/g;

const root = path.resolve(process.argv[2] ?? '.');
const retired = new Map(
  readFileSync(new URL('retired-names.tsv', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => /** @type {[string, string]} */ (line.split('\t'))),
);

let count = 0;
for (const folder of FOLDERS) for (const file of listSources(path.join(root, folder))) check(file);
if (count > 0) {
  console.error(`${count} retired names. docs/glossary.md says which terms to use.`);
  process.exitCode = 1;
}

/** Returns the sources below a folder, or none if there is no such folder. */
function listSources(folder) {
  let entries = [];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return entries.flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : listSources(file);
    const isBundle = BUNDLES.includes(path.relative(root, file).replaceAll('\\', '/'));
    return /\.(ts|js|mjs|html)$/.test(entry.name) && !isBundle ? [file] : [];
  });
}

function check(file) {
  const text = readFileSync(file, 'utf8');
  const code = file.endsWith('.html') ? keepScripts(text) : text;
  let line = 1;
  for (const { type, value } of jsTokens(code)) {
    const replacement = /^(IdentifierName|PrivateIdentifier)$/.test(type) && retired.get(value.replace(/^#/, ''));
    if (replacement) {
      console.error(`${path.relative(root, file)}:${line}: ${value} is retired: use ${replacement}`);
      count += 1;
    }
    line += value.match(LINE_BREAK)?.length ?? 0;
  }
}

/** Blanks everything but the scripts of a page, so that line numbers stay. */
function keepScripts(html) {
  let code = '';
  let end = 0;
  for (const match of html.matchAll(SCRIPT)) {
    const start = match.index + match[0].indexOf('>') + 1;
    code += html.slice(end, start).replace(/[^\n]/g, ' ') + match[1];
    end = start + match[1].length;
  }
  return code;
}
