import 'should';
import { MeshError } from '../../../../src/mesh/core/mesh-error.js';
import { createPrng } from '../../../../src/mesh/core/prng.js';
import { SceneBuilder } from '../../../../src/mesh/formats/reading/scene.js';
import { readStepTessellation } from '../../../../src/mesh/formats/step/read-step-tessellation.js';
import { mutate } from '../../../fuzz/mutate.js';
import { BOX_POINTS } from '../files/box.js';
import { stepBox, stepCylinder } from '../files/step.js';
import { FANS, STRIPS, StepBuilder, type StepUnit, TRIANGLES, tessellatedStep } from '../files/tessellated-step.js';
import { measureFile } from '../measure-file.js';
import { rejectionOf } from '../mesh-error-of.js';

const MUTATION_COUNT = 250;
const SOLID = { shells: 1, level: 'solid', triangles: 12 };
const BOX = [0, 0, 0, 1, 2, 3];

/** Measures the file of a product whose representation has the items that `addItems` returns. */
function read(addItems: (step: StepBuilder) => readonly string[], unit?: StepUnit, more = {}) {
  const step = new StepBuilder();
  step.addProduct('bracket', step.addRepresentation(addItems(step), unit));
  return measureFile(step.toFile(), 'a.step', more);
}

describe('readStepTessellation', () => {
  const NUMBERS = '(1,2,3,4,5,6,7,8)';
  const ITEMS: Record<string, (step: StepBuilder) => string> = {
    'a solid': (step) => step.addSolid('lid'),
    'a shell': (step) => step.add(`TESSELLATED_SHELL('lid',(${step.addFace()}),$)`),
    'a face': (step) => step.addFace(),
    'a geometric set': (step) => step.add(`TESSELLATED_GEOMETRIC_SET('lid',(${step.addFace()}))`),
    'a surface set': (step) =>
      step.add(`TRIANGULATED_SURFACE_SET('lid',${step.addCoordinates()},8,(),${NUMBERS},${TRIANGLES})`),
    'a surface set without point indices': (step) =>
      step.add(`TRIANGULATED_SURFACE_SET('lid',${step.addCoordinates()},8,((0.,0.,1.)),(),${TRIANGLES})`),
    'a complex face of strips': (step) =>
      step.add(`COMPLEX_TRIANGULATED_FACE('lid',${step.addCoordinates()},8,(),$,${NUMBERS},${STRIPS},())`),
    'a complex face of fans': (step) =>
      step.add(`COMPLEX_TRIANGULATED_FACE('lid',${step.addCoordinates()},8,(),$,${NUMBERS},(),${FANS})`),
    'a complex surface set': (step) =>
      step.add(`COMPLEX_TRIANGULATED_SURFACE_SET('lid',${step.addCoordinates()},8,(),(),${STRIPS},())`),
    'a face that refers to a plane': (step) => {
      const plane = step.add(`PLANE('',${step.addPlacement(0, 0, 0)})`);
      return step.add(`TESSELLATED_SHELL('lid',(${step.addFace(step.addCoordinates(), plane)}),$)`);
    },
    'point indices in another order': (step) => {
      const coordinates = step.addCoordinates([[9, 9, 9], ...BOX_POINTS.toReversed()]);
      return step.add(`TRIANGULATED_FACE('lid',${coordinates},8,(),$,(9,8,7,6,5,4,3,2),${TRIANGLES})`);
    },
    'a complex instance': (step) =>
      step.add(
        `(GEOMETRIC_REPRESENTATION_ITEM() REPRESENTATION_ITEM('lid') TESSELLATED_FACE(${step.addCoordinates()},8,(),$) TESSELLATED_ITEM() TESSELLATED_STRUCTURED_ITEM() TRIANGULATED_FACE(${NUMBERS},${TRIANGLES}))`,
      ),
    'comments, line ends and exponents in lists': (step) => {
      const points = BOX_POINTS.map((point) => `( ${point.map((value) => `${value}.E+0`).join(' ,\n')} )`);
      const coordinates = step.add(`COORDINATES_LIST('it''s; #5=X',8,/* eight; */(${points.join(',/* ; */')}))`);
      return step.addFace(coordinates);
    },
  };
  for (const [name, addItem] of Object.entries(ITEMS)) {
    it(`reads ${name}`, async () => {
      (await read((step) => [addItem(step)])).should.match({ ...SOLID, box: BOX, volume: 6, warnings: [] });
    });
  }

  it('names objects by their item, or else by their product', async () => {
    (await read((step) => [step.addSolid('Geh\\X2\\00E4\\X0\\use'), step.addSolid()])).names.should.deepEqual([
      'Gehäuse',
      'bracket',
    ]);
  });

  it('uses the unit of each representation, or that of the caller', async () => {
    const box = async (unit: StepUnit) =>
      (await read((step) => [step.addSolid()], unit, { measurementUnits: 'cm' })).box;
    (await box('mm')).should.deepEqual(BOX);
    (await box('m')).should.deepEqual([0, 0, 0, 1000, 2000, 3000]);
    (await box('inch')).should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    (await box('none')).should.deepEqual([0, 0, 0, 10, 20, 30]);
  });

  it('places repositioned items', async () => {
    const measured = await read((step) => {
      const placement = step.addPlacement(10, 0, 0, [0, 0, 1], [0, 1, 0]);
      const types = `TESSELLATED_GEOMETRIC_SET((${step.addFace()})) TESSELLATED_ITEM()`;
      return [
        step.add(
          `(GEOMETRIC_REPRESENTATION_ITEM() REPOSITIONED_TESSELLATED_ITEM(${placement}) REPRESENTATION_ITEM('') ${types})`,
        ),
      ];
    });
    measured.should.match({ ...SOLID, box: [8, 0, 0, 10, 1, 3] });
  });

  describe('with assemblies', () => {
    /** Adds a component and an assembly, each with its representation, its product and a placement. */
    const addAssembly = (step: StepBuilder, units: readonly [StepUnit, StepUnit] = ['mm', 'mm']) => {
      const [origin, target] = [step.addPlacement(0, 0, 1), step.addPlacement(10, 0, 1, [0, 0, 1], [0, 1, 0])];
      const part = step.addRepresentation([step.addSolid(), origin], units[0]);
      const assembly = step.addRepresentation([target], units[1], 'SHAPE_REPRESENTATION');
      const usage = [step.addProduct('set', assembly), step.addProduct('lid', part)] as const;
      return { origin, target, part, assembly, usage };
    };
    type Assembly = ReturnType<typeof addAssembly>;
    const RELATE: Record<string, (step: StepBuilder, assembly: Assembly) => void> = {
      'from the component to the assembly': (step, { part, assembly, origin, target, usage }) =>
        step.addRelationship(part, assembly, [origin, target], usage),
      'from the assembly to the component': (step, { part, assembly, origin, target, usage }) =>
        step.addRelationship(assembly, part, [target, origin], usage),
      'with its placements exchanged': (step, { part, assembly, origin, target, usage }) =>
        step.addRelationship(part, assembly, [target, origin], usage),
      'without a usage': (step, { part, assembly, origin, target }) =>
        step.addRelationship(part, assembly, [origin, target]),
    };
    for (const [name, relate] of Object.entries(RELATE)) {
      it(`places a component by a relationship ${name}`, async () => {
        const step = new StepBuilder();
        relate(step, addAssembly(step));
        const measured = await measureFile(step.toFile(), 'a.step');
        measured.should.match({ ...SOLID, box: [8, 0, 0, 10, 1, 3], names: ['lid'] });
      });
    }

    it('places a component once per relationship, in assemblies of assemblies', async () => {
      const step = new StepBuilder();
      const { part, assembly, origin, target, usage } = addAssembly(step);
      step.addRelationship(part, assembly, [origin, target], usage);
      step.addRelationship(part, assembly, [origin, step.addPlacement(20, 0, 1)], usage);
      const base = step.addPlacement(0, 0, 0);
      const top = step.addRepresentation([base], 'mm', 'SHAPE_REPRESENTATION');
      const topUsage = [step.addProduct('all', top), usage[0]] as const;
      for (const y of [0, 100]) step.addRelationship(assembly, top, [base, step.addPlacement(0, y, 0)], topUsage);
      const measured = await measureFile(step.toFile(), 'a.step');
      measured.should.match({ shells: 4, level: 'solid', triangles: 48, box: [8, 0, 0, 21, 102, 3] });
    });

    it('uses the units of component and assembly', async () => {
      const step = new StepBuilder();
      RELATE['from the component to the assembly']?.(step, addAssembly(step, ['inch', 'mm']));
      const { box } = await measureFile(step.toFile(), 'a.step');
      box.should.deepEqual([10 - 50.8, 0, -24.4, 10, 25.4, 51.8].map((value) => Math.round(value * 1e4) / 1e4));
    });

    it('places mapped items', async () => {
      const step = new StepBuilder();
      const part = step.addRepresentation([step.addSolid()]);
      const map = step.add(`REPRESENTATION_MAP(${step.addPlacement(1, 0, 0)},${part})`);
      const items = [0, 10].map((x) => step.add(`MAPPED_ITEM('',${map},${step.addPlacement(x, 0, 0)})`));
      step.addProduct('set', step.addRepresentation(items, 'mm', 'SHAPE_REPRESENTATION'));
      const measured = await measureFile(step.toFile(), 'a.step');
      measured.should.match({ shells: 2, level: 'solid', box: [-1, 0, 0, 10, 2, 3], names: ['set', 'set'] });
    });

    it('reads representations that are related to that of the product', async () => {
      const step = new StepBuilder();
      const empty = step.addRepresentation([step.addPlacement(0, 0, 0)], 'mm', 'SHAPE_REPRESENTATION');
      const shape = step.addRepresentation([step.addSolid()]);
      step.add(`SHAPE_REPRESENTATION_RELATIONSHIP('','',${empty},${shape})`);
      step.addProduct('lid', empty);
      (await measureFile(step.toFile(), 'a.step')).should.match({ ...SOLID, box: BOX, names: ['lid'] });
    });

    it('reads representations of a file without products', async () => {
      const step = new StepBuilder();
      step.addRepresentation([step.addSolid()], 'inch');
      (await measureFile(step.toFile(), 'a.step')).box.should.deepEqual([0, 0, 0, 25.4, 50.8, 76.2]);
    });

    it('reads representations of no product, if those of products have no shape', async () => {
      const step = new StepBuilder();
      step.addRepresentation([step.addSolid()]);
      step.addProduct('lid', step.addRepresentation([step.addPlacement(0, 0, 0)], 'mm', 'SHAPE_REPRESENTATION'));
      (await measureFile(step.toFile(), 'a.step')).should.match({ ...SOLID, box: BOX });
    });

    it('rejects cycles', async () => {
      const step = new StepBuilder();
      const { part, assembly, origin, target, usage } = addAssembly(step);
      step.addRelationship(part, assembly, [origin, target], usage);
      step.addRelationship(part, assembly, [origin, target], usage);
      const top = step.addRepresentation([step.addPlacement(0, 0, 0)], 'mm', 'SHAPE_REPRESENTATION');
      const all = step.addProduct('all', top);
      step.addRelationship(assembly, top, [target, step.addPlacement(0, 0, 0)], [all, usage[0]]);
      step.addRelationship(assembly, part, [target, origin], [usage[1], usage[0]]);
      const rejection = await rejectionOf(measureFile(step.toFile(), 'a.step'));
      rejection.code.should.equal('TOO_LARGE');
    });
  });

  describe('with exact surfaces in the same file', () => {
    /**
     * Returns the box of exact surfaces, 1 x 2 x 3 at the origin, with more instances. Those of the box have ids up to
     * 999.
     */
    const withMore = (lines: readonly string[]) =>
      Buffer.from(
        stepBox('mm')
          .toString()
          .replace('ENDSEC;\nEND-ISO', `${lines.join('\n')}\nENDSEC;\nEND-ISO`),
      );
    const points = BOX_POINTS.map(([x, y, z]) => `(${x + 10}.,${y}.,${z}.)`).join();
    const SHAPE = [
      `#1000=COORDINATES_LIST('',8,(${points}));`,
      `#1001=TRIANGULATED_FACE('',#1000,8,(),$,(),${TRIANGLES});`,
      "#1002=TESSELLATED_SOLID('lid',(#1001),$);",
      "#1003=TESSELLATED_SHAPE_REPRESENTATION('',(#1002),#10);",
    ];
    const PRODUCT = [
      "#1010=PRODUCT('other','other','',(#2));",
      "#1011=PRODUCT_DEFINITION_FORMATION('','',#1010);",
      "#1012=PRODUCT_DEFINITION('design','',#1011,#5);",
      "#1013=PRODUCT_DEFINITION_SHAPE('','',#1012);",
      '#1014=SHAPE_DEFINITION_REPRESENTATION(#1013,#1003);',
    ];

    it('reads both kinds of products', async () => {
      const measured = await measureFile(withMore([...SHAPE, ...PRODUCT]), 'a.step');
      measured.should.match({ shells: 2, level: 'solid', triangles: 24, box: [0, 0, 0, 11, 2, 3], volume: 12 });
      measured.names.should.deepEqual(['bracket', 'lid']);
    });

    const ALTERNATIVES: Record<string, readonly string[]> = {
      'of the same product': [...SHAPE, '#1014=SHAPE_DEFINITION_REPRESENTATION(#7,#1003);'],
      'that is related to a B-rep': [...SHAPE, "#1014=SHAPE_REPRESENTATION_RELATIONSHIP('','',#9,#1003);"],
      'that links to a B-rep': [...SHAPE.map((line) => line.replace('(#1001),$', '(#1001),#501')), ...PRODUCT],
      'of an annotation': [
        ...SHAPE.slice(0, 1),
        `#1001=COMPLEX_TRIANGULATED_SURFACE_SET('',#1000,8,(),(),${STRIPS},());`,
        "#1002=TESSELLATED_GEOMETRIC_SET('',(#1001));",
        "#1003=TESSELLATED_ANNOTATION_OCCURRENCE('',(),#1002);",
        "#1004=DRAUGHTING_MODEL('',(#1003),#10);",
      ],
    };
    for (const [name, lines] of Object.entries(ALTERNATIVES)) {
      it(`skips a tessellation ${name}`, async () => {
        (await measureFile(withMore(lines), 'a.step')).should.match({ ...SOLID, box: BOX, names: ['bracket'] });
      });
    }

    it('finds none in a file of exact surfaces', () => {
      [stepBox('mm'), stepCylinder()].map(readStepTessellation).should.deepEqual([undefined, undefined]);
    });
  });

  it('skips and counts triangles without points, and names what it does not read', async () => {
    const missing = await rejectionOf(read((step) => [step.addFace('#999')]));
    missing.message.should.containEql('12 faces with missing');
    const partly = await read((step) => [step.addFace(step.addCoordinates(BOX_POINTS.slice(0, 7)))]);
    partly.warnings.should.deepEqual(['FACES_DROPPED']);
    const curves = await read((step) => {
      const line = step.add(`TESSELLATED_CURVE_SET('',${step.addCoordinates()},((1,2)))`);
      return [step.addSolid(), line, step.add("CUBIC_BEZIER_TRIANGULATED_FACE('',$,0,(),$,(),())")];
    });
    curves.should.match({ ...SOLID, warnings: ['OBJECTS_MISSING', 'LINES_DROPPED'] });
  });

  it('refuses tessellated STEP without triangles, naming the remedy', async () => {
    const rejection = await rejectionOf(
      read((step) => [step.add("CUBIC_BEZIER_TRIANGULATED_FACE('',$,0,(),$,(),())")]),
    );
    rejection.should.match({ code: 'FILE_EMPTY', message: /tessellated STEP.*B-rep/ });
  });

  it('rejects more triangles than memory can have before it reads them', async () => {
    const step = new StepBuilder();
    const face = step.add(`TRIANGULATED_FACE('',$,0,(),$,(),(${'(1,1,1),'.repeat(9999)}(1,1,1)))`);
    const shells = Array.from({ length: 40 }, () => step.add(`TESSELLATED_SHELL('',(${face},${face}),$)`));
    step.addRepresentation(shells);
    const rejection = await rejectionOf(measureFile(step.toFile(), 'a.step'));
    rejection.should.match({ code: 'TOO_LARGE', message: /triangles/ });
  });

  it('warns of a file that ends before its end is marked', async () => {
    const text = tessellatedStep().toString().replace('END-ISO-10303-21;', '');
    (await measureFile(Buffer.from(text), 'a.step')).should.match({ shells: 2, warnings: ['TRUNCATED'] });
  });

  it('reads or rejects every mutation of a file', () => {
    const random = createPrng(7);
    const outcomes = new Set<string>();
    for (let i = 0; i < MUTATION_COUNT; i++) {
      const bytes = mutate(tessellatedStep(), 'text', random);
      try {
        const scene = new SceneBuilder();
        readStepTessellation(bytes)?.addTo(scene);
        scene.toMesh().mesh.positions.every(Number.isFinite).should.be.true();
        outcomes.add('read');
      } catch (error) {
        if (!(error instanceof MeshError)) throw error;
        outcomes.add(error.code);
      }
    }
    [...outcomes].should.containEql('read');
  });

  it('skips malformed instances and warns', async () => {
    const text = tessellatedStep().toString();
    (await measureFile(Buffer.from(text), 'a.step')).should.match({ shells: 2, level: 'solid', triangles: 24 });
    for (const [part, other] of [
      ['DIRECTION(', 'DIRECTION'],
      ["DIRECTION('',(0.,1.,0.))", `DIRECTION('',${'('.repeat(200)}))`],
      ["DIRECTION('',(0.,1.,0.))", "DIRECTION('',?)"],
    ] as const) {
      const measured = await measureFile(Buffer.from(text.replace(part, other)), 'a.step');
      measured.should.match({ shells: 2, triangles: 24, warnings: ['OBJECTS_MISSING'] });
    }
    const withoutFace = Buffer.from(text.replace('COMPLEX_TRIANGULATED_FACE(', 'COMPLEX_TRIANGULATED_FACE'));
    (await rejectionOf(measureFile(withoutFace, 'a.step'))).message.should.containEql(
      '2 references to missing objects',
    );
  });

  it('does not refuse exact surfaces for malformed instances beside them', async () => {
    const lines = '#1000=COMPLEX_TRIANGULATED_SURFACE_SET(?);\n#1001=SHAPE_REPRESENTATION(?);\nENDSEC;\nEND-ISO';
    const text = stepBox('mm').toString().replace('ENDSEC;\nEND-ISO', lines);
    (await measureFile(Buffer.from(text), 'a.step')).should.match({ ...SOLID, box: BOX });
  });
});
