/** The arrays of meshes and their indexes. */
type MeshArray = Float64Array | Float32Array | Uint32Array | Int32Array | Uint8Array;

/** Returns an array in memory that threads share, with the same elements: the array itself if it is there already. */
export function toShared<T extends MeshArray>(array: T): T {
  if (array.buffer instanceof SharedArrayBuffer) return array;
  const ArrayType = array.constructor as new (buffer: SharedArrayBuffer) => T; // that of `array`
  const shared = new ArrayType(new SharedArrayBuffer(array.byteLength));
  shared.set(array);
  return shared;
}
