/** A scene may have many short arrays. */
const INITIAL_CAPACITY = 16;

/** Holds float64 values in an array that grows. For text readers, which do not know the number of values in advance. */
export class GrowableFloat64Array {
  #values = new Float64Array(INITIAL_CAPACITY);
  #length = 0;

  /** The number of values. */
  get length(): number {
    return this.#length;
  }

  /** Appends a value. Amortized constant time. */
  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow(1);
    this.#values[this.#length++] = value;
  }

  /** Returns the value at an index. */
  at(index: number): number {
    return this.#values[index];
  }

  /** Adds `summand` to the value at an index. */
  increase(index: number, summand: number): void {
    this.#values[index] += summand;
  }

  /** Appends all `values`. Copies them one by one, which is fast for short arrays only. */
  pushAll(values: Float64Array): void {
    if (this.#length + values.length > this.#values.length) this.#grow(values.length);
    for (let i = 0; i < values.length; i++) this.#values[this.#length + i] = values[i];
    this.#length += values.length;
  }

  /** Drops the values from index `length` on. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** Returns a view of the values, not a copy. It is valid until the next push. */
  values(): Float64Array<ArrayBuffer> {
    return this.#values.subarray(0, this.#length);
  }

  /** Doubles the capacity and adds `extra` on top. */
  #grow(extra: number): void {
    const values = new Float64Array(this.#values.length * 2 + extra);
    values.set(this.#values);
    this.#values = values;
  }
}
