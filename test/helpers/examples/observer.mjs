// Preloaded into a Node-RED process (`node --import`). Sends the parent process every message that a node receives, with
// the id of the node, and an event when the flows have started. `req` and `res` are removed: they cannot be sent to
// another process.
import { createRequire } from 'node:module';
import path from 'node:path';

const { events, hooks } = createRequire(path.resolve(process.argv[1]))('@node-red/util');

hooks.add('preDeliver.observer', ({ destination, msg }) => {
  const { req: _req, res: _res, ...rest } = msg;
  process.send?.({ nodeId: destination.id, msg: rest });
});
events.on('flows:started', () => process.send?.({ nodeId: 'flows:started', msg: {} }));
