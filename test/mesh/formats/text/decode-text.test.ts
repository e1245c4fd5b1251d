import 'should';
import type { ParsedModel } from '../../../../src/mesh/formats/format.js';
import { parseModel } from '../../../../src/mesh/formats/parse-model.js';
import { decodeText } from '../../../../src/mesh/formats/text/decode-text.js';
import { BUILT_IN_FILES } from '../../../fuzz/built-in-files.js';
import { LIBRARY_FILES } from '../files/library-files.js';
import { binaryStl, TWO_FACETS } from '../stl/stl-bytes.js';

const ENCODINGS: Record<string, (text: string) => Buffer> = {
  'UTF-8 with a byte order mark': (text) => Buffer.from(`\ufeff${text}`),
  'UTF-16 LE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 BE': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
};
const LIBRARY_TEXTS = ['box.step', 'box.iges', 'box.brep', 'box.fbx', 'box.ac', 'box.ase', 'box.x'];

/** Returns a text file of every format that is text, by its filename. */
async function createTexts(): Promise<{ filename: string; text: string }[]> {
  const builtIn = Object.values(BUILT_IN_FILES).map((make) => make());
  const ofReaders = builtIn.filter(({ structure, wrap }) => /text|xml|json/.test(structure) && !wrap);
  const ofLibraries = LIBRARY_TEXTS.map(async (filename) => ({ filename, bytes: await LIBRARY_FILES[filename]?.() }));
  const files = [...ofReaders, ...(await Promise.all(ofLibraries))];
  return files.map(({ filename, bytes }) => ({ filename, text: String(bytes) }));
}

function withoutNames({ mesh: { positions, triangles }, warnings }: ParsedModel) {
  return { positions: [...positions], triangles: [...triangles], warnings };
}

describe('decodeText', () => {
  it('returns other bytes unchanged', () => {
    for (const bytes of [[], [0xef], [0xff], [0xfe, 0xfd, 1], [0x41, 0]])
      decodeText(Uint8Array.from(bytes)).should.deepEqual(Uint8Array.from(bytes));
  });

  for (const [name, encode] of Object.entries(ENCODINGS)) {
    it(`lets every text format be ${name}`, async () => {
      const texts = await createTexts();
      texts
        .map(({ filename }) => filename.replace(/.*\./, ''))
        .should.containDeep(['obj', 'off', 'ply', 'gltf', 'dae']);
      for (const { filename, text } of texts) {
        const expected = withoutNames(await parseModel(Buffer.from(text), { filename }));
        withoutNames(await parseModel(encode(text), { filename })).should.deepEqual(expected, filename);
      }
    });
  }

  it('leaves a binary STL alone, whatever its header begins with', async () => {
    const expected = withoutNames(await parseModel(binaryStl(TWO_FACETS), { filename: 'a.stl' }));
    for (const mark of ['\xef\xbb\xbf', '\xff\xfe', '\xfe\xff']) {
      const bytes = binaryStl(TWO_FACETS, 2, mark);
      withoutNames(await parseModel(bytes, { filename: 'a.stl' })).should.deepEqual(expected);
      const truncated = await parseModel(bytes.subarray(0, -1), { filename: 'a.stl' });
      truncated.mesh.triangles.length.should.equal(3);
    }
  });
});
