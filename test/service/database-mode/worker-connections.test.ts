import should from 'should';
import { countWorkerConnections } from '../../../src/service/database-mode/worker-connections.js';

describe('the database connections of a worker', () => {
  it('are two for each place, for the operation that runs and the one that is stored, and three', () => {
    should([1, 2, 8].map(countWorkerConnections)).eql([5, 7, 19]);
  });
});
