import { type AffineTransform, compose } from '../reading/affine-transform.js';
import { type StepFile, toIds } from './step-file.js';
import { invertPlacement, parseAxisPlacement, readRecord, readUnitInMm } from './step-placement.js';

const REPRESENTATION = /^(?!CONTEXT_DEPENDENT_)(?:\w+_)?SHAPE_REPRESENTATION(?:_WITH_\w+)?$/;
/** Items whose faces OpenCASCADE reads. */
const BREP = /BREP|SURFACE_MODEL/;

/** A representation of a shape. */
export interface StepRepresentation {
  id: number;
  items: ReadonlySet<number>;
  /** Whether it has an item with faces on exact surfaces. */
  hasBrep: boolean;
  /** `undefined` if the file does not declare it. */
  unitInMm: number | undefined;
}

/** A shape: the representations of a product, and where its components are. */
export interface StepShape {
  name: string;
  /** Its product definitions. */
  products: number[];
  isComponent: boolean;
  representations: StepRepresentation[];
  /** Placed in mm. */
  components: { shape: StepShape; transform: AffineTransform }[];
}

/**
 * The shapes of a STEP file. Representations of one product, and those related without a transform, are one shape.
 * Components are placed by relationships with a transform, and by mapped items.
 */
export class StepProducts {
  readonly #file: StepFile;
  readonly #representations = new Map<number, StepRepresentation>();
  /** representation → its shape */
  readonly #shapes = new Map<number, StepShape>();
  /** product definition → its shape */
  readonly #products = new Map<number, StepShape>();
  /** The number of components whose placement could not be read. */
  missingCount = 0;

  constructor(file: StepFile) {
    this.#file = file;
    this.#collectRepresentations();
    this.#collectProducts();
    const relationships = ['SHAPE_REPRESENTATION_RELATIONSHIP', 'REPRESENTATION_RELATIONSHIP'].flatMap((keyword) =>
      file.idsOf(keyword),
    );
    for (const id of relationships) this.#uniteRelated(id);
    const assemblies = this.#readAssemblies();
    for (const id of relationships) this.#placeRelated(id, assemblies.get(id));
    for (const { id, items } of this.#representations.values()) for (const item of items) this.#placeMapped(id, item);
  }

  /** Returns the shapes that are no components: those of products if any of them, or a component, has items to read. */
  findRoots(hasItems: (shape: StepShape) => boolean): StepShape[] {
    const roots = [...new Set(this.#shapes.values())].filter(({ isComponent }) => !isComponent);
    const products = roots.filter((shape) => shape.products.length > 0);
    return [...withComponents(products)].some(hasItems) ? products : roots;
  }

  #collectRepresentations(): void {
    for (const keyword of this.#file.keywords) {
      const isComplex = keyword === 'REPRESENTATION';
      if (!isComplex && !REPRESENTATION.test(keyword)) continue;
      for (const id of this.#file.idsOf(keyword)) {
        const records = this.#file.read(id);
        if (!records.some((record) => REPRESENTATION.test(record.keyword))) continue;
        const [, items, context] = records.find((record) => record.keyword === keyword)?.values ?? [];
        const itemIds = new Set(toIds(items));
        const hasBrep = [...itemIds].some((item) => this.#file.read(item).some((record) => BREP.test(record.keyword)));
        const unitInMm = readUnitInMm(this.#file, toIds(context)[0]);
        const representation = { id, items: itemIds, hasBrep, unitInMm };
        this.#representations.set(id, representation);
        const more = { products: [], isComponent: false, components: [] };
        this.#shapes.set(id, { name: '', representations: [representation], ...more });
      }
    }
  }

  #collectProducts(): void {
    for (const id of this.#file.idsOf('SHAPE_DEFINITION_REPRESENTATION')) {
      const [definition, representation] = toIds(this.#file.read(id)[0]?.values);
      const [product] = toIds(readRecord(this.#file, definition, 'PRODUCT_DEFINITION_SHAPE')?.[2]);
      const [record] = this.#file.read(product);
      const shape = this.#shapes.get(representation);
      if (product === undefined || !shape || !record?.keyword.startsWith('PRODUCT_DEFINITION')) continue;
      const [formation] = toIds(record.values[2]);
      const [entry] = toIds(this.#file.read(formation)[0]?.values[2]);
      const [number, name] = readRecord(this.#file, entry, 'PRODUCT') ?? [];
      shape.products.push(product);
      shape.name ||= [name, number].find((text) => typeof text === 'string' && text !== '')?.toString() ?? '';
      const other = this.#products.get(product);
      this.#products.set(product, shape);
      if (other) this.#unite(other, shape);
    }
  }

  /** Makes two shapes one: the smaller one becomes a part of the other. */
  #unite(first: StepShape, second: StepShape): void {
    if (first === second) return;
    const sizeOf = ({ representations, products }: StepShape): number => representations.length + products.length;
    const [source, target] = sizeOf(first) < sizeOf(second) ? [first, second] : [second, first];
    for (const representation of source.representations) target.representations.push(representation);
    for (const product of source.products) target.products.push(product);
    target.name ||= source.name;
    for (const { id } of source.representations) this.#shapes.set(id, target);
    for (const product of source.products) this.#products.set(product, target);
  }

  /** Unites the shapes of a relationship without a transform. */
  #uniteRelated(id: number): void {
    const { operator, isOfShapes, ids } = this.#readRelationship(id);
    const [first, second] = ids.map((representation) => this.#shapes.get(representation));
    if (operator === undefined && isOfShapes && first && second) this.#unite(first, second);
  }

  #readRelationship(id: number) {
    const records = this.#file.read(id);
    const [first] = records;
    const isOfShapes = records.some(({ keyword }) => keyword === 'SHAPE_REPRESENTATION_RELATIONSHIP');
    const transformed = records.find(({ keyword }) => keyword === 'REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION');
    return { operator: transformed && toIds(transformed.values)[0], isOfShapes, ids: toIds(first?.values.slice(2)) };
  }

  /** Returns for each relationship of an assembly: the product definition that contains the other one. */
  #readAssemblies(): Map<number, number> {
    const assemblies = new Map<number, number>();
    for (const id of this.#file.idsOf('CONTEXT_DEPENDENT_SHAPE_REPRESENTATION')) {
      const [relationship, definition] = toIds(this.#file.read(id)[0]?.values);
      const [usage] = toIds(readRecord(this.#file, definition, 'PRODUCT_DEFINITION_SHAPE')?.[2]);
      const [assembly] = toIds(readRecord(this.#file, usage, 'NEXT_ASSEMBLY_USAGE_OCCURRENCE')?.[3]);
      if (assembly !== undefined) assemblies.set(relationship, assembly);
    }
    return assemblies;
  }

  /** Places the component of a relationship with a transform: the first shape, unless it is the assembly. */
  #placeRelated(id: number, assembly: number | undefined): void {
    const { operator, ids } = this.#readRelationship(id);
    if (operator === undefined) return;
    const [first, second] = ids.map((each) => this.#representations.get(each));
    if (!first || !second) return;
    const [itemA, itemB] = toIds(readRecord(this.#file, operator, 'ITEM_DEFINED_TRANSFORMATION')?.slice(2));
    const isSwapped = second.items.has(itemA) && first.items.has(itemB);
    const items = isSwapped ? [itemB, itemA] : [itemA, itemB];
    const isReversed = assembly !== undefined && this.#products.get(assembly) === this.#shapes.get(first.id);
    if (isReversed) this.#place(second, items[1], first, items[0]);
    else this.#place(first, items[0], second, items[1]);
  }

  #placeMapped(id: number, item: number): void {
    const [, source, target] = readRecord(this.#file, item, 'MAPPED_ITEM') ?? [];
    const [map] = toIds(source);
    const [origin, mapped] = toIds(readRecord(this.#file, map, 'REPRESENTATION_MAP'));
    const [component, assembly] = [this.#representations.get(mapped), this.#representations.get(id)];
    if (component && assembly) this.#place(component, origin, assembly, toIds(target)[0]);
  }

  /** Adds a component, so that a placement of its own coincides with one of the assembly. */
  #place(
    component: StepRepresentation,
    origin: number | undefined,
    assembly: StepRepresentation,
    target: number | undefined,
  ): void {
    const [child, parent] = [this.#shapes.get(component.id), this.#shapes.get(assembly.id)];
    const from = parseAxisPlacement(this.#file, origin, component.unitInMm ?? 1);
    const to = parseAxisPlacement(this.#file, target, assembly.unitInMm ?? 1);
    if (!child || !parent || child === parent) return;
    child.isComponent = true;
    if (from && to) parent.components.push({ shape: child, transform: compose(to, invertPlacement(from)) });
    else this.missingCount++;
  }
}

/** Returns shapes and all their components. */
export function withComponents(roots: readonly StepShape[]): Set<StepShape> {
  const shapes = new Set(roots);
  // A set iterates over what is added meanwhile.
  for (const { components } of shapes) for (const { shape } of components) shapes.add(shape);
  return shapes;
}
