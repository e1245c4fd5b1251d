type Values = Float32Array | Int8Array | Uint8Array | Int16Array | Uint16Array | Uint32Array;

const COMPONENT_TYPES = new Map<unknown, number>([
  [Int8Array, 5120],
  [Uint8Array, 5121],
  [Int16Array, 5122],
  [Uint16Array, 5123],
  [Uint32Array, 5125],
  [Float32Array, 5126],
]);
const WIDTHS = { SCALAR: 1, VEC3: 3, VEC4: 4, MAT4: 16 };

/** Builds the buffer, buffer views and accessors of a glTF. */
export class GltfBuilder {
  readonly #accessors: object[] = [];
  readonly #views: object[] = [];
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  /** Adds values, aligned to four bytes. Returns their buffer view. */
  addView(values: Values): number {
    const bytes = Buffer.from(values.buffer, values.byteOffset, values.byteLength);
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    this.#views.push({ buffer: 0, byteOffset: this.#bytes, byteLength: bytes.length });
    this.#chunks.push(padded);
    this.#bytes += padded.length;
    return this.#views.length - 1;
  }

  /** Adds an accessor of values. Returns its index. */
  add(type: keyof typeof WIDTHS, values: Values, more: object = {}): number {
    const componentType = COMPONENT_TYPES.get(values.constructor);
    return this.addAccessor({
      ...{ bufferView: this.addView(values), componentType, count: values.length / WIDTHS[type], type },
      ...more,
    });
  }

  /** Adds an accessor. Returns its index. */
  addAccessor(accessor: object): number {
    this.#accessors.push(accessor);
    return this.#accessors.length - 1;
  }

  /** Returns the file of the rest of its JSON. */
  toFile(json: object): Buffer {
    const uri = `data:application/octet-stream;base64,${Buffer.concat(this.#chunks).toString('base64')}`;
    const buffers = [{ byteLength: this.#bytes, uri }];
    return Buffer.from(
      JSON.stringify({
        ...{ asset: { version: '2.0' }, ...json, accessors: this.#accessors },
        ...{ bufferViews: this.#views, buffers },
      }),
    );
  }
}
