import { BOX_FACES, BOX_POINTS, BOX_TRIANGLES } from './box.js';

const UNITS = {
  mm: '(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))',
  m: '(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT($,.METRE.))',
};

export type StepUnit = keyof typeof UNITS | 'inch' | 'none';

function numbers(values: readonly number[]): string {
  return `(${values.map((value) => (Number.isInteger(value) ? `${value}.` : `${value}`)).join()})`;
}
function rows(values: readonly (readonly number[])[]): string {
  return `(${values.map((row) => `(${row.join()})`).join()})`;
}

/** The triangles of the box, with one-based indices. */
export const TRIANGLES = rows(BOX_TRIANGLES.map((triangle) => triangle.map((corner = 0) => corner + 1)));
/** Its faces as strips, and as fans. */
export const STRIPS = rows(BOX_FACES.map(([a, b, c, d]) => [a + 1, b + 1, d + 1, c + 1]));
export const FANS = rows(BOX_FACES.map((face) => face.map((corner) => corner + 1)));

/** Builds a STEP file, instance by instance. Methods return references, such as `#12`. */
export class StepBuilder {
  readonly #lines: string[] = [];
  #id = 0;

  add(entity: string): string {
    this.#lines.push(`#${++this.#id}=${entity};`);
    return `#${this.#id}`;
  }

  /** Adds the coordinates of the box. */
  addCoordinates(points: readonly (readonly number[])[] = BOX_POINTS): string {
    return this.add(`COORDINATES_LIST('',${points.length},(${points.map(numbers).join()}))`);
  }

  /** Adds a face of the box. */
  addFace(coordinates = this.addCoordinates(), link = '$'): string {
    return this.add(`TRIANGULATED_FACE('',${coordinates},8,(),${link},(1,2,3,4,5,6,7,8),${TRIANGLES})`);
  }

  /** Adds a solid of the box. */
  addSolid(name = '', link = '$'): string {
    return this.add(`TESSELLATED_SOLID('${name}',(${this.addFace()}),${link})`);
  }

  addPlacement(x: number, y: number, z: number, axis = [0, 0, 1], reference = [1, 0, 0]): string {
    const point = this.add(`CARTESIAN_POINT('',${numbers([x, y, z])})`);
    const [up, along] = [axis, reference].map((vector) => this.add(`DIRECTION('',${numbers(vector)})`));
    return this.add(`AXIS2_PLACEMENT_3D('',${point},${up},${along})`);
  }

  addContext(unit: StepUnit = 'mm'): string {
    if (unit === 'none') return this.add("(GEOMETRIC_REPRESENTATION_CONTEXT(3) REPRESENTATION_CONTEXT('',''))");
    return this.add(
      `(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((${this.#addUnit(unit)})) REPRESENTATION_CONTEXT('',''))`,
    );
  }

  #addUnit(unit: Exclude<StepUnit, 'none'>): string {
    if (unit !== 'inch') return this.add(UNITS[unit]);
    const measure = this.add(`LENGTH_MEASURE_WITH_UNIT(LENGTH_MEASURE(25.4),${this.#addUnit('mm')})`);
    return this.add(`(CONVERSION_BASED_UNIT('INCH',${measure}) LENGTH_UNIT() NAMED_UNIT(*))`);
  }

  addRepresentation(items: readonly string[], unit: StepUnit = 'mm', keyword = 'TESSELLATED_SHAPE_REPRESENTATION') {
    return this.add(`${keyword}('',(${items.join()}),${this.addContext(unit)})`);
  }

  /** Adds a product with its representations. Returns its definition. */
  addProduct(name: string, ...representations: readonly string[]): string {
    const product = this.add(`PRODUCT('${name}','${name}','',())`);
    const formation = this.add(`PRODUCT_DEFINITION_FORMATION('','',${product})`);
    const definition = this.add(`PRODUCT_DEFINITION('design','',${formation},$)`);
    for (const representation of representations) {
      const shape = this.add(`PRODUCT_DEFINITION_SHAPE('','',${definition})`);
      this.add(`SHAPE_DEFINITION_REPRESENTATION(${shape},${representation})`);
    }
    return definition;
  }

  /** Relates two representations by placements of each. `usage` are the product definitions of assembly and component. */
  addRelationship(
    first: string,
    second: string,
    placements: readonly [string, string],
    usage?: readonly [string, string],
  ): void {
    const operator = this.add(`ITEM_DEFINED_TRANSFORMATION('','',${placements.join()})`);
    const relationship = this.add(
      `(REPRESENTATION_RELATIONSHIP('','',${first},${second}) REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(${operator}) SHAPE_REPRESENTATION_RELATIONSHIP())`,
    );
    if (!usage) return;
    const occurrence = this.add(`NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','','',${usage.join()},$)`);
    const shape = this.add(`PRODUCT_DEFINITION_SHAPE('','',${occurrence})`);
    this.add(`CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(${relationship},${shape})`);
  }

  toFile(): Buffer {
    return Buffer.from(`ISO-10303-21;
HEADER;
FILE_DESCRIPTION((''),'2;1');
FILE_NAME('a;#1=B.step','2026-01-01T00:00:00',(''),(''),'','','');
FILE_SCHEMA(('AP242_MANAGED_MODEL_BASED_3D_ENGINEERING_MIM_LF { 1 0 10303 442 3 1 4 }'));
ENDSEC;
DATA;
${this.#lines.join('\n')}
ENDSEC;
END-ISO-10303-21;
`);
  }
}

/** Returns a tessellated STEP of an assembly with two boxes, in mm. */
export function tessellatedStep(): Buffer {
  const step = new StepBuilder();
  const origin = step.addPlacement(0, 0, 0);
  const targets = [step.addPlacement(0, 0, 0), step.addPlacement(5, 0, 0, [0, 0, 1], [0, 1, 0])];
  const coordinates = step.addCoordinates();
  const strips = step.add(`COMPLEX_TRIANGULATED_FACE('',${coordinates},8,(),$,(),${STRIPS},())`);
  const part = step.addRepresentation([step.add(`TESSELLATED_SHELL('lid',(${strips}),$)`), origin]);
  const assembly = step.addRepresentation(targets, 'mm', 'SHAPE_REPRESENTATION');
  const usage = [step.addProduct('set', assembly), step.addProduct('lid', part)] as const;
  for (const target of targets) step.addRelationship(part, assembly, [origin, target], usage);
  return step.toFile();
}
