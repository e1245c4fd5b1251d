// Allocates and writes memory without end.
import { setImmediate } from 'node:timers';

const buffers = [];

function allocateMore() {
  buffers.push(Buffer.alloc(16 * 1024 * 1024, 1));
  setImmediate(allocateMore);
}
allocateMore();
