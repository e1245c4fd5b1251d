// Loaded into a Node-RED of its own process (`node --import`): tells the parent of every message that comes to a node, by the id of
// the node, and when flows have started. A request and its response cannot be sent to another process, and no test asks for them.
import { createRequire } from 'node:module';
import path from 'node:path';

const { events, hooks } = createRequire(path.resolve(process.argv[1]))('@node-red/util');

hooks.add('preDeliver.observer', ({ destination, msg }) => {
  const { req: _req, res: _res, ...rest } = msg;
  process.send?.({ nodeId: destination.id, msg: rest });
});
events.on('flows:started', () => process.send?.({ nodeId: 'flows:started', msg: {} }));
