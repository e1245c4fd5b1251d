// For claims and their renewal, callbacks, and the maintenance.
const FURTHER_CONNECTIONS = 3;

/**
 * Returns the default number of database connections of a worker: one for the end of each operation, of which as many
 * store their outputs as others run, and further ones.
 */
export function countWorkerConnections(workers: number): number {
  return 2 * workers + FURTHER_CONNECTIONS;
}
