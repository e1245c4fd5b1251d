import { PostgresServer } from '../../helpers/postgres-server.js';

/** Registers hooks that run a PostgreSQL server for all tests. `assign` receives it. */
export function usePostgres(assign: (server: PostgresServer) => void): void {
  let server: PostgresServer | undefined;

  before(async () => {
    server = await PostgresServer.share();
    assign(server);
  });

  after(() => server?.stop());
}
