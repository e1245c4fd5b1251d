// Opens the scratch folder of its argument, prints a line, and keeps it until it is killed.
import { openOwnScratchFolder } from '../../../../../src/service/blobs/s3/scratch-folder.js';

await openOwnScratchFolder(process.argv[2] ?? '', 100, { warn: () => undefined });
process.stdout.write('locked\n');
setInterval(() => undefined, 60_000);
