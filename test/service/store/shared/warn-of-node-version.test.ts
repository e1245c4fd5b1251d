import { readFileSync } from 'node:fs';
import 'should';
import { QUEUE_NODE_VERSION, warnOfNodeVersion } from '../../../../src/service/store/shared/warn-of-node-version.js';

function warningsFor(version: string): object[] {
  const warnings: object[] = [];
  warnOfNodeVersion({ warn: (fields: object) => void warnings.push(fields) }, version);
  return warnings;
}

describe('warnOfNodeVersion', () => {
  it('names the version of a process that is older than the library of the queue supports', () => {
    for (const node of ['20.19.0', '22.11.9']) {
      warningsFor(node).should.deepEqual([{ node, supported: '>=22.12.0' }]);
    }
  });

  it('logs nothing for a version that it supports', () => {
    for (const node of ['22.12.0', '22.13.1', '24.0.0']) warningsFor(node).should.deepEqual([]);
  });

  it('knows the versions that the installed library supports', () => {
    const { engines } = JSON.parse(readFileSync('node_modules/pg-boss/package.json', 'utf8'));
    engines.node.should.equal(`>=${QUEUE_NODE_VERSION}`);
  });
});
