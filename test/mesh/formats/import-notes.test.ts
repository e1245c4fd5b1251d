import should from 'should';
import { analyze } from '../../../src/mesh/analysis/analyze.js';
import type { ModelNotes } from '../../../src/mesh/analysis/model-notes.js';
import type { Unit } from '../../../src/mesh/core/units.js';
import { createImportNotes } from '../../../src/mesh/formats/import-notes.js';
import { parseModel } from '../../../src/mesh/formats/parse-model.js';
import { serializeModel } from '../../../src/mesh/formats/serialize-model.js';
import { makeCube } from '../models/cube.js';
import { placed } from '../models/mesh-of.js';
import { makeTorus } from '../models/torus.js';

const TORUS = makeTorus(20, 10);

function serialize(format: string, mesh = TORUS): Buffer {
  return Buffer.concat([...serializeModel(mesh, format)]);
}

async function readNotes(bytes: Buffer, filename: string, unit?: Unit): Promise<ModelNotes> {
  const { mesh, ...imported } = await parseModel(bytes, { filename, measurementUnits: unit });
  return createImportNotes(imported, analyze(mesh), unit);
}

async function readReasons(bytes: Buffer, filename: string): Promise<readonly string[]> {
  return (await readNotes(bytes, filename, 'mm')).reasons;
}

/** Creates a GLB whose end is missing: a picture, for example, behind the geometry. */
function createCutGlb(): Buffer {
  const glb = serialize('glb');
  glb.writeUInt32LE(glb.length + 1000, 8);
  return glb;
}

/** Returns the first part of a file. */
function cut(bytes: Buffer, fraction: number): Buffer {
  return bytes.subarray(0, Math.floor(bytes.length * fraction));
}

describe('createImportNotes', () => {
  it('gives no reasons for a whole file', async () => {
    for (const format of ['stl', 'stl-ascii', 'ply', 'off', 'obj', 'amf', '3mf'])
      (await readReasons(serialize(format), `a.${format.split('-')[0]}`)).should.be.empty();
  });

  it('says which part of the triangles of a truncated STL, PLY or OFF was read', async () => {
    const facets = TORUS.triangles.length / 3;
    for (const count of [4, facets / 2, facets - 1]) {
      const [reason = ''] = await readReasons(serialize('stl').subarray(0, 84 + 50 * count + 3), 'a.stl');
      reason.should.equal(`incomplete file: ${Math.min(99, Math.round((100 * count) / facets))} % of the triangles`);
    }
    for (const format of ['ply', 'off']) {
      const [reason = ''] = await readReasons(cut(serialize(format), 0.8), `a.${format}`);
      reason.should.match(/^incomplete file: \d\d % of the triangles$/);
    }
  });

  it('rounds neither to nothing nor to everything', async () => {
    const stl = serialize('stl', makeTorus(100, 60));
    (await readReasons(stl.subarray(0, 84 + 50 * 2), 'a.stl')).should.deepEqual([
      'incomplete file: less than 1 % of the triangles',
    ]);
    (await readReasons(stl.subarray(0, -1), 'a.stl')).should.deepEqual(['incomplete file: 99 % of the triangles']);
  });

  it('says only that a file is incomplete if it does not declare its number of triangles', async () => {
    const wrl =
      '#VRML V2.0 utf8\nShape { geometry IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 0 1 0] } coordIndex [0 1 2 -1';
    const files: [Buffer, string][] = [
      [cut(serialize('stl-ascii'), 0.5), 'a.stl'],
      [
        Buffer.from(
          serialize('amf')
            .toString()
            .replace(/<v3>\d+<\/v3><\/triangle>\n<\/volume>.*/s, ''),
        ),
        'a.amf',
      ],
      [Buffer.from(wrl), 'a.wrl'],
      [createCutGlb(), 'a.glb'],
      [
        Buffer.from(
          serialize('stl-ascii')
            .toString()
            .replace(/endsolid.*/, ''),
        ),
        'a.stl',
      ],
    ];
    for (const [bytes, filename] of files)
      (await readReasons(bytes, filename)).should.deepEqual(['incomplete file'], filename);
  });

  it('recognizes an OBJ that is cut within a line, by that line or by vertices that nothing uses', async () => {
    const obj = serialize('obj');
    for (const fraction of [0.7, 0.8, 0.9, 0.97])
      (await readReasons(cut(obj, fraction), 'a.obj')).should.deepEqual(['incomplete file'], String(fraction));
    const lines = obj.toString().trimEnd().split('\n');
    const cutLine = lines.at(-1)?.replace(/ \d+$/, '');
    (await readReasons(Buffer.from([...lines.slice(0, -1), cutLine].join('\n')), 'a.obj')).should.deepEqual([
      'incomplete file',
    ]);
    (await readReasons(Buffer.from(lines.slice(0, -200).join('\r\n')), 'a.obj')).should.deepEqual(['incomplete file']);
  });

  it('accepts a whole OBJ without a last line end, and vertices of points, lines and curves', async () => {
    const lines = serialize('obj').toString().trimEnd();
    (await readReasons(Buffer.from(lines), 'a.obj')).should.be.empty();
    for (const element of ['p -1 -2 -3', 'l -3 -2 -1', 'curv 0 1 -3 -2 -1']) {
      const others = `v 0 0 0\n${'v 1 2 3\n'.repeat(30)}${element}`;
      (await readReasons(Buffer.from(`${others}\n${lines}`), 'a.obj')).should.be.empty();
    }
    (await readReasons(Buffer.from(`${'v 1 2 3\n'.repeat(30)}${lines}\n`), 'a.obj')).should.be.empty();
  });

  it('calls a file incomplete if more than 0.5 % of its faces were skipped', async () => {
    const replaceFaces = (format: string, share: number): Promise<readonly string[]> => {
      let count = 0;
      const text = serialize(format)
        .toString()
        .replace(/\n(f|3) \d+(?= \d+ \d+\n)/g, (face, word: string) =>
          count++ < share * 400 ? `\n${word} 99999` : face,
        );
      return readReasons(Buffer.from(text), `a.${format}`);
    };
    for (const format of ['obj', 'off']) {
      (await replaceFaces(format, 0.0025)).should.be.empty();
      (await replaceFaces(format, 0.1)).should.deepEqual(['incomplete file: 90 % of the triangles']);
      (await replaceFaces(format, 0.01)).should.deepEqual(['incomplete file: 99 % of the triangles']);
    }
  });

  it('lists the warnings of the reader, then the one about the size', async () => {
    const tiny = serialize('stl', placed(makeTorus(20, 10), [0, 0, 0], 1e-4));
    const { warnings, reasons } = await readNotes(cut(tiny, 0.5), 'a.stl');
    warnings.map(({ code }) => code).should.deepEqual(['TRUNCATED', 'UNITS_DOUBTFUL']);
    reasons.should.have.length(2);
  });

  it('knows that a unit is stated by the file, by its format, or was chosen', async () => {
    const cube = placed(makeCube(), [0, 0, 0]);
    for (const format of ['stl', 'obj', 'ply', 'off'])
      (await readNotes(serialize(format, cube), `a.${format}`)).reasons.should.have.length(1, format);
    for (const format of ['3mf', 'amf', 'glb'])
      (await readNotes(serialize(format, cube), `a.${format}`)).reasons.should.be.empty();
    should((await readNotes(serialize('stl', cube), 'a.stl', 'mm')).reasons).be.empty();
  });

  it('counts what was not read, so that it adds up from the file', async () => {
    const facets = TORUS.triangles.length / 3;
    const whole = serialize('stl');
    should((await readNotes(whole, 'a.stl')).skipped).be.undefined();
    const cutNotes = await readNotes(whole.subarray(0, 84 + 50 * 100 + 3), 'a.stl');
    should(cutNotes.skipped).deepEqual({ triangles: facets - 100 });
    const invalid = Buffer.from(whole);
    for (const facet of [0, 7]) invalid.writeFloatLE(Number.NaN, 84 + 50 * facet + 12);
    should((await readNotes(invalid, 'a.stl')).skipped).deepEqual({ triangles: 2 });
    const text = serialize('stl-ascii')
      .toString()
      .replace(/vertex \S+/, 'vertex nan');
    should((await readNotes(Buffer.from(text), 'a.stl')).skipped).deepEqual({ triangles: 1 });
    const off = serialize('off')
      .toString()
      .replace(/\n3 \d+/g, (face, offset: number) => (offset % 2 === 0 ? '\n3 99999' : face));
    const { mesh } = await parseModel(Buffer.from(off), { filename: 'a.off' });
    should((await readNotes(Buffer.from(off), 'a.off')).skipped).deepEqual({
      faces: facets - mesh.triangles.length / 3,
    });
    const lines = serialize('off').toString().split('\n');
    should((await readNotes(Buffer.from(lines.slice(0, -11).join('\n')), 'a.off')).skipped).deepEqual({ faces: 10 });
  });

  it('counts references to missing objects, beside faces', async () => {
    const amf = serialize('amf')
      .toString()
      .replace(/<v1>\d+/, '<v1>99999')
      .replace(
        '</amf>',
        '<constellation id="9"><instance objectid="7"/><instance objectid="0"/></constellation></amf>',
      );
    should((await readNotes(Buffer.from(amf), 'a.amf')).skipped).deepEqual({ objects: 1, faces: 1 });
  });

  it('calls a file incomplete that references objects that it does not contain', async () => {
    const amf = serialize('amf').toString();
    const instances = '<instance objectid="0"/><instance objectid="7"/>';
    const build = amf.replace('</amf>', `<constellation id="9">${instances}</constellation></amf>`);
    const use = 'Shape { geometry Box { } } Transform { children USE Lid }';
    (await readReasons(Buffer.from(build), 'a.amf')).should.deepEqual(['incomplete file']);
    (await readReasons(Buffer.from(`#VRML V2.0 utf8\n${use}`), 'a.wrl')).should.containEql('incomplete file');
    (await readReasons(Buffer.from(build.replace('"7"', '"0"')), 'a.amf')).should.be.empty();
  });

  it('has no counts in its warnings', async () => {
    const { warnings } = await readNotes(serialize('stl').subarray(0, 84 + 50 * 100), 'a.stl');
    for (const warning of warnings) Object.keys(warning).should.deepEqual(['code', 'message']);
  });

  it('says whether the objects of a file are parts', async () => {
    const { triangles } = TORUS;
    const half = triangles.length / 6;
    const objects = [0, half].map((firstTriangle, i) => ({ name: `half ${i}`, firstTriangle, triangleCount: half }));
    for (const format of ['3mf', 'amf', 'obj', 'glb'])
      should((await readNotes(serialize(format, { ...TORUS, objects }), `a.${format}`)).hasParts).be.true();
    should((await readNotes(serialize('stl-ascii', { ...TORUS, objects }), 'a.stl')).hasParts).be.undefined();
    should((await readNotes(serialize('3mf'), 'a.3mf')).hasParts).be.undefined();
  });
});
