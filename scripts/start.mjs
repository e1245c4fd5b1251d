// `npm start` runs the Node-RED editor on 127.0.0.1 with the example flow deployed. PORT sets a port other than 1880.
// Flows, credentials and the data of the local service stay in `.node-red` of the checkout.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { ROOT, readFlow, startNodeRed } from './node-red.mjs';

const userDir = path.join(ROOT, '.node-red');
const port = Number(process.env.PORT ?? 1880);
await mkdir(userDir, { recursive: true });
const savedFlow = path.join(userDir, 'flows.json');

try {
  const { stop } = await startNodeRed({
    userDir,
    flow: await readFlow(existsSync(savedFlow) ? savedFlow : undefined),
    port,
    onLog: ({ type, name, msg }) =>
      console.log([type && `[${type}${name ? `:${name}` : ''}]`, msg].filter(Boolean).join(' ')),
  });
  console.log(
    `\nThe editor is at http://127.0.0.1:${port}/ - click the button of the inject node. Press Ctrl-C to stop.`,
  );
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop().then(() => process.exit(0)));
} catch (error) {
  if (error.code !== 'EADDRINUSE') throw error;
  console.error(`Port ${port} of 127.0.0.1 is in use. Choose another one: PORT=1881 npm start`);
  process.exit(1);
}
