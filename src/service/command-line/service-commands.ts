// All commands but `process`, in one chunk of the bundle: otherwise what some of them share would be a chunk for each
// combination, and a start would read 20 files more.
export { clientCommand, userCommand } from './accounts-command.js';
export { backupCommand, restoreCommand } from './backup-command.js';
export { migrateCommand } from './migrate-command.js';
export { recoverCommand } from './recover-command.js';
export { serveCommand } from './serve-command.js';
export { verifyCommand } from './verify-command.js';
export { workerCommand } from './worker-command.js';
