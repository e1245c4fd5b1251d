// What commands load if they are given a database, in one chunk of the bundle: see service-commands.ts.
export { migrateDatabase } from './open-backend.js';
export { openDatabaseAccounts } from './open-database-accounts.js';
export { recoverDatabase } from './recovery/recover-database.js';
export { runWorker } from './run-worker.js';
export { serveApi } from './serve-api.js';
export { withVerifiableBucket } from './verify-bucket.js';
