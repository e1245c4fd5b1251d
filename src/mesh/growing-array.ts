/** A Float64Array that grows: what a reader of text fills when it cannot know how much comes. */
export class GrowingArray {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const values = new Float64Array(this.#values.length * 2);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values[this.#length++] = value;
  }

  /** Takes back all values from `length` on. */
  truncate(length: number): void {
    this.#length = Math.min(this.#length, length);
  }

  /** What was pushed so far, without copying: good until the next push. */
  values(): Float64Array<ArrayBuffer> {
    return this.#values.subarray(0, this.#length);
  }
}
