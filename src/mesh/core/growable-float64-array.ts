/** A Float64Array that grows: what a reader of text fills when it cannot know how much comes. */
export class GrowableFloat64Array {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow(1);
    this.#values[this.#length++] = value;
  }

  /** Pushes all of `values`, which are a few. */
  pushAll(values: Float64Array): void {
    if (this.#length + values.length > this.#values.length) this.#grow(values.length);
    for (let i = 0; i < values.length; i++) this.#values[this.#length + i] = values[i];
    this.#length += values.length;
  }

  /** Takes back all values from `length` on. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** What was pushed so far, without copying: good until the next push. */
  values(): Float64Array<ArrayBuffer> {
    return this.#values.subarray(0, this.#length);
  }

  #grow(by: number): void {
    const values = new Float64Array(this.#values.length * 2 + by);
    values.set(this.#values);
    this.#values = values;
  }
}
