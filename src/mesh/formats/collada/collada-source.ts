import {
  type ColladaDocument,
  type ColladaElement,
  findChild,
  readCount,
  resolveReference,
} from './collada-element.js';

const AXES = ['X', 'Y', 'Z'];
const NAME_ARRAYS = ['Name_array', 'IDREF_array', 'SIDREF_array'];

/** Returns the inputs of an element. */
export function inputsOf(element: ColladaElement | undefined): ColladaElement[] {
  return element?.children.filter(({ name }) => name === 'input') ?? [];
}

/** Returns the input with a semantic, or `undefined`. */
export function findInput(inputs: readonly ColladaElement[], semantic: string): ColladaElement | undefined {
  return inputs.find((input) => input.attributes.get('semantic') === semantic);
}

/** Returns the source that the input with a semantic references, or `undefined`. */
export function findSource(
  document: ColladaDocument,
  inputs: readonly ColladaElement[],
  semantic: string,
): ColladaElement | undefined {
  return resolveReference(document, findInput(inputs, semantic), 'source', ['source']);
}

/** Reads x, y, z of each point by the accessor of a source. Parameters without a name are skipped. */
export function readPoints(document: ColladaDocument, source: ColladaElement): Float64Array {
  const accessor = findAccessor(source);
  if (!accessor) return new Float64Array();
  const names = accessor.children.map((parameter) => parameter.attributes.get('name')?.toUpperCase() ?? '');
  const axes = AXES.map((axis, k) => (names.includes(axis) ? names.indexOf(axis) : k));
  return readColumns(document, source, axes, 3);
}

/** Reads `width` numbers of each element of a source, by its accessor if it has one. */
export function readNumbers(document: ColladaDocument, source: ColladaElement, width: number): Float64Array {
  return readColumns(document, source, [...new Array<number>(width).keys()], width);
}

/** Reads the names or ids in a source, and whether they are ids. Of a path (`rig/hip`), the last part is the name. */
export function readNames(source: ColladaElement | undefined): { names: string[]; areIds: boolean } {
  const array = source?.children.find(({ name }) => NAME_ARRAYS.includes(name));
  const text = array?.text.trim() ?? '';
  const names = text === '' ? [] : text.split(/\s+/);
  const isPath = array?.name === 'SIDREF_array';
  return {
    names: isPath ? names.map((name) => name.slice(name.lastIndexOf('/') + 1)) : names,
    areIds: array?.name === 'IDREF_array',
  };
}

function findAccessor(source: ColladaElement): ColladaElement | undefined {
  return findChild(findChild(source, 'technique_common'), 'accessor');
}

/** Reads some columns of each element of a source. `defaultStride` is the number of columns if it is not declared. */
function readColumns(
  document: ColladaDocument,
  source: ColladaElement,
  columns: readonly number[],
  defaultStride: number,
): Float64Array {
  const accessor = findAccessor(source);
  const array = resolveReference(document, accessor, 'source', ['float_array']) ?? findChild(source, 'float_array');
  if (!array) return new Float64Array();
  const layout = accessor ?? source;
  const stride = Math.max(1, readCount(layout, 'stride', defaultStride));
  const offset = readCount(layout, 'offset', 0);
  const available = Math.max(0, Math.floor((array.numbers.length - offset) / stride));
  const count = Math.min(readCount(layout, 'count', available), available);
  const width = columns.length;
  return Float64Array.from({ length: count * width }, (_, i) => {
    return array.numbers[offset + Math.floor(i / width) * stride + columns[i % width]];
  });
}
