import 'should';
import { BOX_FACES, BOX_POINTS } from '../files/box.js';
import { colladaBox, zaeBox } from '../files/scenes.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';
import { parseOwn } from '../parse-own.js';
import { createZip } from '../zip/zip-bytes.js';

const SOLID = { shells: 1, level: 'solid' };
const BOX = [0, 0, 0, 1, 2, 3];
const SOURCE = `<source id="p"><float_array id="f" count="24">
  ${BOX_POINTS.flat().join(' ')} </float_array><technique_common><accessor source="#f" count="8" stride="3">
  <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>`;
const VERTEX = '<input semantic="VERTEX" source="#v" offset="0"/>';
const POLYLIST = `<polylist count="6">${VERTEX}<vcount>4 4 4 4 4 4</vcount><p>${BOX_FACES.flat().join(' ')}</p></polylist>`;
const LID = '<node id="n" name="lid"><instance_geometry url="#g"/></node>';

/** Returns a document in millimeters with Z up. */
function collada({ nodes = LID, primitives = POLYLIST, libraries = '', asset = '', source = SOURCE } = {}): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Z_UP</up_axis>${asset}</asset>${libraries}
<library_geometries><geometry id="g" name="box"><mesh>${source}${primitives}</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">${nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`);
}
function round(value: number): number {
  return Math.round(value * 1e9) / 1e9 + 0;
}
function measure(parts: Parameters<typeof collada>[0] = {}) {
  return measureFile(collada(parts), 'a.dae', { measurementUnits: 'm' });
}

describe('parseCollada', () => {
  it('uses the unit and the axes of the file', async () => {
    (await measure()).should.match({ ...SOLID, box: BOX, names: ['lid'], warnings: [] });
    (await measureFile(colladaBox(0.0254), 'a.dae')).box.should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    const withAsset = (asset: string) => {
      const text = collada()
        .toString()
        .replace(/<asset>.*<\/asset>/, `<asset>${asset}</asset>`);
      return measureFile(Buffer.from(text), 'a.dae');
    };
    (await withAsset('')).box.should.deepEqual([0, -3000, 0, 1000, 0, 2000]);
    (await withAsset('<unit meter="0.001"/><up_axis>X_UP</up_axis>')).should.match({
      ...SOLID,
      box: [-2, -3, 0, 0, 0, 1],
    });
    (await withAsset('<unit meter="0.001"/><up_axis>Y_UP</up_axis>')).box.should.deepEqual([0, -3, 0, 1, 0, 2]);
  });

  it('reads numbers with a decimal comma, and numbers that commas separate', async () => {
    const withUnit = (meter: string) =>
      measureFile(Buffer.from(collada().toString().replace('0.001', meter)), 'a.dae').then(({ box }) => box);
    (await withUnit('0,010000')).should.deepEqual([0, 0, 0, 10, 20, 30]);
    (await withUnit(' 2,54E-2 ')).should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    (await withUnit(',001')).should.deepEqual(BOX);
    (await withUnit('1,5,0')).should.deepEqual([0, 0, 0, 1000, 2000, 3000]);
    const withPoints = async (values: string, count = 'count="24"') => {
      const text = SOURCE.replace(BOX_POINTS.flat().join(' '), values).replace('count="24"', count);
      return (await measure({ source: text })).box;
    };
    const halves = BOX_POINTS.flat().map((value) => `${value},5`);
    (await withPoints(halves.join(' '))).should.deepEqual([0.5, 0.5, 0.5, 1.5, 2.5, 3.5]);
    (await withPoints(halves.join(' '), '')).should.deepEqual([0.5, 0.5, 0.5, 1.5, 2.5, 3.5]);
    (await withPoints(BOX_POINTS.flat().join(','))).should.deepEqual(BOX);
    (await withPoints(BOX_POINTS.flat().join(', '), '')).should.deepEqual(BOX);
    (await withPoints(BOX_POINTS.join(' '))).should.deepEqual(BOX);
    const moved = LID.replace('<instance', '<translate>0,5 1,5e1 -2</translate><instance');
    (await measure({ nodes: moved })).box.should.deepEqual([0.5, 15, -2, 1.5, 17, 1]);
  });

  describe('with polygons that have holes', () => {
    const RING = [0, 1, 2, 3];
    const square = (low: number, high: number, z: number) => [
      [low, low, z],
      [high, low, z],
      [high, high, z],
      [low, high, z],
    ];
    // a plate of 30 x 30 x 5: its outline below and above, then those of two holes
    const points = [
      ...square(0, 30, 0),
      ...square(0, 30, 5),
      ...square(2, 10, 0),
      ...square(2, 10, 5),
      ...square(20, 28, 0),
      ...square(20, 28, 5),
    ];
    const ringFrom = (first: number) => RING.map((i) => first + i);
    const quads = (first: number, isHole: boolean) =>
      RING.map((i) => {
        const [a, b] = [first + i, first + ((i + 1) % 4)];
        return isHole ? [b, a, a + 4, b + 4] : [a, b, b + 4, a + 4];
      });
    const source = SOURCE.replace(BOX_POINTS.flat().join(' '), points.flat().join(' ')).replace('"8"', '"24"');
    const toP = (ring: readonly number[]) => `<p>${ring.join(' ')}</p>`;
    const toPh = (outer: readonly number[], holes: readonly (readonly number[])[]) =>
      `<ph>${toP(outer)}${holes.map((hole) => `<h>${hole.join(' ')}</h>`).join('')}</ph>`;
    const wallsOf = (holes: readonly number[]) =>
      [...quads(0, false), ...holes.flatMap((first) => quads(first, true))].map(toP).join('');
    const read = (primitives: string) => measure({ source, primitives: `<polygons>${VERTEX}${primitives}</polygons>` });

    for (const [name, turn] of Object.entries({
      'against the outer ring': (ring: number[]) => ring.toReversed(),
      'as the outer ring': (ring: number[]) => ring,
    })) {
      it(`reads two holes that are wound ${name}`, async () => {
        const holes = (z: number) => [turn(ringFrom(8 + z)), turn(ringFrom(16 + z))];
        const below = toPh(RING.toReversed(), [turn(ringFrom(8)).toReversed(), turn(ringFrom(16)).toReversed()]);
        const measured = await read(`${below}${toPh(ringFrom(4), holes(4))}${wallsOf([8, 16])}`);
        measured.should.match({ level: 'solid', box: [0, 0, 0, 30, 30, 5], warnings: [] });
        measured.volume.should.be.approximately((900 - 128) * 5, 1e-6);
      });
    }

    it('reads rings that repeat their first corner at the end, and indices of several inputs', async () => {
      const close = (ring: readonly number[]) => [...ring, ring[0] ?? 0];
      const [below, above] = [
        toPh(close(RING.toReversed()), [close(ringFrom(8)), close(ringFrom(16))]),
        toPh(close(ringFrom(4)), [close(ringFrom(12)), close(ringFrom(20))]),
      ];
      const primitives = `${below}${above}${wallsOf([8, 16])}`;
      (await read(primitives)).should.match({ level: 'solid', box: [0, 0, 0, 30, 30, 5], warnings: [] });
      const normal = '<input semantic="NORMAL" source="#x" offset="1"/>';
      const inTuples = primitives.replace(/\d+/g, '$& 99');
      (await read(normal + inTuples)).should.match({ level: 'solid', box: [0, 0, 0, 30, 30, 5], warnings: [] });
    });

    it('reads a polygon whose list of holes is empty', async () => {
      const box = [...quads(0, false), RING.toReversed()].map(toP).join('');
      (await read(`${box}${toPh(ringFrom(4), [])}`)).should.match({ level: 'solid', box: [0, 0, 0, 30, 30, 5] });
      (await read(`${box}${toPh(ringFrom(4), [[]])}`)).should.match({ level: 'solid', warnings: [] });
    });

    it('skips and counts a polygon whose hole crosses it or has invalid points', async () => {
      const box = [...quads(0, false), RING.toReversed()].map(toP).join('');
      for (const hole of [
        [4, 14, 17],
        [12, 13],
        [12, 13, 99],
      ])
        (await read(`${box}${toPh(ringFrom(4), [hole])}`)).warnings.should.deepEqual(['FACES_DROPPED']);
    });
  });

  const triangles = BOX_FACES.flatMap(([a, b, c, d]) => [
    [a, b, c],
    [a, c, d],
  ]);
  const PRIMITIVES: Record<string, string> = {
    triangles: `<triangles count="12">${VERTEX}<p>${triangles.flat().join(' ')}</p></triangles>`,
    'triangles in two lists': [triangles.slice(0, 5), triangles.slice(5)]
      .map((part) => `<triangles material="a">${VERTEX}<p>${part.flat().join(' ')}</p></triangles>`)
      .join(''),
    polygons: `<polygons>${VERTEX}${BOX_FACES.map((face) => `<p> ${face.join(' ')} </p>`).join('')}</polygons>`,
    fans: `<trifans>${VERTEX}${BOX_FACES.map((face) => `<p>${face.join(' ')}</p>`).join('')}</trifans>`,
    strips: `<tristrips>${VERTEX}${BOX_FACES.map(([a, b, c, d]) => `<p>${[a, b, d, c].join(' ')}</p>`).join('')}</tristrips>`,
    'indices of several inputs': `<triangles><input semantic="NORMAL" source="#x" offset="0"/>${VERTEX.replace('"0"', '"2"')}<p>${triangles
      .flat()
      .map((corner) => `9 8 ${corner}`)
      .join(' ')}</p></triangles>`,
    'text divided by a comment': POLYLIST.replace('<p>0', '<p><!-- corners -->0').replace(' 5 ', ' 5 <!-- more --> '),
  };
  for (const [name, primitives] of Object.entries(PRIMITIVES)) {
    it(`reads ${name}`, async () => {
      const read = await measure({ primitives });
      read.should.match({ ...SOLID, box: BOX, triangles: 12, names: ['lid'], warnings: [] });
      read.volume.should.be.approximately(6, 1e-9);
    });
  }

  it('reads numbers that are divided by 600,000 comments', async () => {
    const source = SOURCE.replace(' </float_array>', `${' 7<!---->'.repeat(600_000)}</float_array>`);
    (await measure({ source })).should.match({ ...SOLID, box: BOX, warnings: [] });
  });

  it('reads positions with other values between them, in the order of their names', async () => {
    const values = BOX_POINTS.map(([x, y, z]) => `7 ${z} ${x} ${y}`).join(' ');
    const source = SOURCE.replace(BOX_POINTS.flat().join(' '), `5 ${values}`)
      .replace('stride="3"', 'stride="4" offset="1"')
      .replace('<param name="X"', '<param type="float"/><param name="Z"/><param name="X"')
      .replace('<param name="Z" type="float"/></accessor>', '</accessor>');
    (await measure({ source })).should.match({ ...SOLID, box: BOX });
  });

  it('applies the transforms of nodes, the first one outermost', async () => {
    const inNode = async (transforms: string) =>
      (await measure({ nodes: LID.replace('<instance', `${transforms}<instance`) })).box;
    (await inNode('<translate>10 0 0</translate><scale>2 1 1</scale>')).should.deepEqual([10, 0, 0, 12, 2, 3]);
    (await inNode('<scale>2 1 1</scale><translate>10 0 0</translate>')).should.deepEqual([20, 0, 0, 22, 2, 3]);
    (await inNode('<rotate>0 0 1 90</rotate>')).should.deepEqual([-2, 0, 0, 0, 1, 3]);
    (await inNode('<matrix>1 0 0 5 0 1 0 6 0 0 1 7 0 0 0 1</matrix>')).should.deepEqual([5, 6, 7, 6, 8, 10]);
    (await inNode('<lookat>5 0 0 5 0 -1 0 1 0</lookat>')).should.deepEqual([5, 0, 0, 6, 2, 3]);
    // z turns toward x, y - z to y; y + z cannot turn further than to z.
    (await inNode('<skew>45 0 0 1 1 0 0</skew>')).map(round).should.deepEqual([0, 0, 0, 4, 2, 3]);
    (await inNode('<skew>45 0 1 -1 0 0 1</skew>')).map(round).should.deepEqual([0, 0, 0, 1, 2, 5]);
    (await inNode('<skew>45 0 1 1 0 0 1</skew>')).should.deepEqual(BOX);
    (await inNode('<translate>1 2</translate><scale>nan 1 1</scale>')).should.deepEqual(BOX);
  });

  it('reverses triangles under a reflection and warns that materials are not imported', async () => {
    const read = await measureFile(colladaBox(0.001, { isMirrored: true, hasMaterial: true }), 'a.dae');
    read.should.match({ ...SOLID, box: [-1, 0, 0, 0, 2, 3], warnings: ['MATERIALS_DROPPED'] });
    read.volume.should.be.approximately(6, 1e-6);
  });

  it('places instances of nodes and geometries', async () => {
    const libraries = `<library_nodes><node id="pair" name="pair">${LID}<node><translate>5 0 0</translate><instance_geometry url="#g"/></node></node></library_nodes>`;
    const nodes =
      '<node><instance_node url="#pair"/></node><node id="far"><translate>0 50 0</translate><instance_node url="#pair"/></node>';
    const read = await measure({ libraries, nodes });
    read.should.match({ shells: 4, box: [0, 0, 0, 6, 52, 3], names: ['lid', 'pair', 'lid', 'pair'] });
  });

  it('distinguishes elements with different names and equal ids', async () => {
    const nodes = '<node id="g" name="lid"><instance_geometry url="#g"/></node>';
    const text = collada({ nodes }).toString().replaceAll('"v"', '"g"').replaceAll('"#v"', '"#g"');
    (await measureFile(Buffer.from(text), 'a.dae')).should.match({ ...SOLID, box: BOX, names: ['lid'] });
  });

  it('reads geometry of a skin and a morph that have no joints and no targets', async () => {
    const libraries = `<library_controllers><controller id="skin"><skin source="#morph"><vertex_weights><vcount>1</vcount><v>0 0</v></vertex_weights></skin></controller>
<controller id="morph"><morph source="#g"/></controller></library_controllers>
<library_animations><animation id="a"><source id="i"><float_array id="p" count="1"> 0.0 </float_array></source></animation></library_animations>
<library_effects><effect id="e"><profile_COMMON><color>  0.0 0.0 0.0 1.0  </color></profile_COMMON></effect></library_effects>`;
    const nodes =
      '<node name="lid"><instance_controller url="#skin"><skeleton>#n</skeleton></instance_controller></node>';
    (await measure({ libraries, nodes })).should.match({ ...SOLID, box: BOX, warnings: ['ANIMATION_DROPPED'] });
  });

  it('places all geometries of a file without a scene', async () => {
    const text = collada()
      .toString()
      .replace(/<library_visual[\s\S]*<\/scene>/, '');
    (await measureFile(Buffer.from(text), 'a.dae')).should.match({ ...SOLID, box: BOX, names: ['box'] });
  });

  it('warns about content that is not imported', async () => {
    const color = '<input semantic="COLOR" source="#p" offset="0"/>';
    const primitives = `${POLYLIST.replace(VERTEX, VERTEX + color)}<lines>${VERTEX}<p>0 1</p></lines><polygons>${VERTEX}<ph><p>0 1 2</p><h>3 4 5</h></ph></polygons>`;
    const nodes = `${LID}<node><instance_geometry url="other.dae#g"/></node>`;
    (await measure({ primitives, nodes })).warnings.should.deepEqual([
      'OBJECTS_MISSING',
      'FACES_DROPPED',
      'COLOURS_DROPPED',
      'LINES_DROPPED',
    ]);
  });

  const INCOMPLETE: Record<string, [string, string[]]> = {
    'a polygon without enough indices': [
      `<polylist>${VERTEX}<vcount>3 3 3</vcount><p>0 1 2 0 1</p></polylist>`,
      ['2 faces with missing or invalid vertices were skipped.'],
    ],
    'indices after the last polygon': [
      `<polylist>${VERTEX}<vcount>3</vcount><p>0 1 2 0 1 2</p></polylist>`,
      ['1 face with missing or invalid vertices was skipped.'],
    ],
    'an incomplete triangle': [
      `<triangles>${VERTEX}<p>0 1 2 0 1</p></triangles>`,
      ['1 face with missing or invalid vertices was skipped.'],
    ],
    'a primitive without points': [
      `<triangles>${VERTEX}<p>0 1 2</p></triangles><triangles><input semantic="VERTEX" source="#none"/><p>0 1 2</p></triangles>`,
      ['1 reference to missing objects was skipped.'],
    ],
  };
  for (const [name, [primitives, messages]] of Object.entries(INCOMPLETE)) {
    it(`skips ${name} and warns`, () => {
      const { mesh, warnings } = parseOwn(collada({ primitives }), { filename: 'a.dae' });
      mesh.triangles.length.should.equal(3);
      warnings.map(({ message }) => message).should.deepEqual(messages);
    });
  }

  it('reads the complete elements of a truncated file and warns', async () => {
    const bytes = collada();
    const read = await measureFile(bytes.subarray(0, bytes.indexOf('<scene>')), 'a.dae');
    read.should.match({ ...SOLID, box: BOX, warnings: ['TRUNCATED'] });
  });

  it('rejects too many instances and cycles before it places them', async () => {
    const chain = Array.from({ length: 60 }, (_, i) => {
      const instance = i === 59 ? '<instance_geometry url="#g"/>' : `<instance_node url="#n${i + 1}"/>`;
      return `<node id="n${i}">${instance}${instance}</node>`;
    });
    const libraries = `<library_nodes>${chain.join('')}</library_nodes>`;
    const bomb = await rejectionOf(measure({ libraries, nodes: '<node><instance_node url="#n0"/></node>' }));
    bomb.code.should.equal('TOO_LARGE');
    const cycle = await rejectionOf(measure({ nodes: '<node id="a"><instance_node url="#a"/></node>' }));
    cycle.code.should.equal('TOO_LARGE');
    const instances = '<instance_node url="#a"/>'.repeat(500);
    const wideCycle = await rejectionOf(measure({ nodes: `<node id="a">${instances}</node>` }));
    wideCycle.should.match({ code: 'TOO_LARGE', message: /100000 instances/ });
  });

  it('throws FILE_MALFORMED for other content and declared entities', async () => {
    for (const text of ['ply\n', '<Scene/>', '', '<!DOCTYPE COLLADA [<!ENTITY a "b">]><COLLADA/>']) {
      const rejection = await rejectionOf(measureFile(Buffer.from(`${text} `), 'a.dae'));
      rejection.code.should.equal('FILE_MALFORMED', text);
    }
  });

  it('reads the file that the manifest of a ZAE names', async () => {
    (await measureFile(zaeBox(), 'a.zae')).should.match({ ...SOLID, box: [0, 0, 0, 1000, 2000, 3000] });
    const unnamed = createZip({ 'a.dae': colladaBox(0.001) });
    (await measureFile(unnamed, 'a.zae')).box.should.deepEqual(BOX);
    const rejection = await rejectionOf(measureFile(createZip({ 'a.txt': 'x' }), 'a.zae'));
    rejection.message.should.containEql('no Collada');
  });
});
