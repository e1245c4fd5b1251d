// The process that `bench/stl.ts` measures: reads a binary STL, welds it and writes it again.
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { parseModel } from '../src/mesh/formats/parse-model.js';
import { serializeModel } from '../src/mesh/formats/serialize-model.js';

const [source = '', target = ''] = process.argv.slice(2);
const { mesh } = await parseModel(readFileSync(source), { filename: source });
const file = openSync(target, 'w');
for (const chunk of serializeModel(mesh, 'stl')) writeSync(file, chunk);
closeSync(file);
