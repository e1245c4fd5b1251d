// Takes memory without end, which it also writes to.
import { setImmediate } from 'node:timers';

const held = [];
const takeMore = () => {
  held.push(Buffer.alloc(16 * 1024 * 1024, 1));
  setImmediate(takeMore);
};
takeMore();
