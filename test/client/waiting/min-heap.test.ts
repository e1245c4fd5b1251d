import should from 'should';
import { MinHeap } from '../../../src/client/waiting/min-heap.js';

describe('MinHeap', () => {
  it('returns 500 items in the order of their keys', () => {
    const heap = new MinHeap<number>((item) => item);
    const items = Array.from({ length: 500 }, (_item, index) => (index * 7919) % 503);
    for (const item of items) heap.push(item);
    const popped = items.map(() => heap.pop());
    popped.should.eql([...items].sort((a, b) => a - b));
    should(heap.pop()).be.undefined();
    heap.size.should.equal(0);
  });

  it('keeps the order while items are added and removed alternately', () => {
    const heap = new MinHeap<number>((item) => item);
    for (const item of [5, 3, 8]) heap.push(item);
    should(heap.pop()).equal(3);
    heap.push(1);
    heap.push(9);
    should(heap.pop()).equal(1);
    should(heap.pop()).equal(5);
    should(heap.peek()).equal(8);
  });
});
