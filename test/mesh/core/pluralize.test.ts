import should from 'should';
import { pluralize } from '../../../src/mesh/core/pluralize.js';

describe('pluralize', () => {
  it('uses the singular for 1 and the plural for any other count', () => {
    should([0, 1, 2].map((count) => pluralize(count, 'edge'))).deepEqual(['0 edges', '1 edge', '2 edges']);
    should([1, 5].map((count) => pluralize(count, 'vertex', 'vertices'))).deepEqual(['1 vertex', '5 vertices']);
  });
});
