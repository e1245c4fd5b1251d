import 'should';
import should from 'should';
import { NodePlaces } from '../../../../nodes/shared/waits/node-places.js';
import { nodeIn } from './support/pending-waits-bench.js';

const TABS = ['tab1', 'tab2'].map((id) => ({ id, type: 'tab' }));
const SUBFLOW = { id: 'sub', type: 'subflow' };

/** Creates an instance of the subflow `sub`. */
function instanceIn(z: string, id: string): object {
  return nodeIn(z, id, { type: 'subflow:sub' });
}

/** Returns the successor of the node that was at `path`. `active`: the paths of the active nodes. */
function findSuccessor(path: string, flows: object[], ...active: string[]) {
  return new NodePlaces([...TABS, ...flows]).findSuccessor(path, new Set(active));
}

describe('NodePlaces', () => {
  it('finds a node at its place', () => {
    const successor = findSuccessor('tab1/node', [nodeIn('tab1', 'node')], 'tab1/node');
    should(successor).deepEqual({ path: 'tab1/node' });
  });

  it('finds a node that was moved to another tab', () => {
    const successor = findSuccessor('tab1/node', [nodeIn('tab2', 'node')], 'tab2/node');
    should(successor).deepEqual({ path: 'tab2/node' });
  });

  it('finds a node that was moved into a subflow: in its first instance in flow order', () => {
    const flows = [instanceIn('tab2', 'second'), instanceIn('tab1', 'first'), SUBFLOW, nodeIn('sub', 'node')];
    const successor = findSuccessor('tab1/node', flows, 'tab2/second/node', 'tab1/first/node');
    should(successor).deepEqual({ path: 'tab1/first/node' });
  });

  it('finds a node that was moved out of a subflow', () => {
    const successor = findSuccessor('tab1/first/node', [nodeIn('tab1', 'node')], 'tab1/node');
    should(successor).deepEqual({ path: 'tab1/node' });
  });

  it('finds a node in a moved instance of a subflow, not in another instance', () => {
    const flows = [SUBFLOW, nodeIn('sub', 'node'), instanceIn('tab1', 'other'), instanceIn('tab2', 'first')];
    const successor = findSuccessor('tab1/first/node', flows, 'tab1/other/node', 'tab2/first/node');
    should(successor).deepEqual({ path: 'tab2/first/node' });
  });

  it('finds a node in a moved instance of a subflow that is installed as a module', () => {
    const flows = [nodeIn('tab2', 'first', { type: 'shop-module' })];
    should(findSuccessor('tab1/first/node', flows, 'tab2/first/node')).deepEqual({ path: 'tab2/first/node' });
    should(findSuccessor('tab1/first/node', flows)).equal('inactive');
    should(findSuccessor('tab1/first/node', [])).equal('removed');
  });

  it('finds another instance of a subflow after one was removed', () => {
    const flows = [SUBFLOW, nodeIn('sub', 'node'), instanceIn('tab1', 'other')];
    should(findSuccessor('tab1/first/node', flows, 'tab1/other/node')).deepEqual({ path: 'tab1/other/node' });
  });

  it('finds a node in an inner instance of nested subflows', () => {
    const outer = { id: 'outer', type: 'subflow' };
    const flows = [outer, SUBFLOW, nodeIn('sub', 'node'), instanceIn('outer', 'inner')];
    const instance = nodeIn('tab2', 'instance', { type: 'subflow:outer' });
    const successor = findSuccessor('tab1/inner/node', [...flows, instance], 'tab2/instance/inner/node');
    should(successor).deepEqual({ path: 'tab2/instance/inner/node' });
  });

  it('calls a disabled node inactive, where it was and where it was moved to', () => {
    should(findSuccessor('tab1/node', [nodeIn('tab1', 'node')])).equal('inactive');
    should(findSuccessor('tab1/node', [nodeIn('tab2', 'node')])).equal('inactive');
  });

  it('keeps the waits of a disabled instance of a subflow from other instances', () => {
    const flows = [SUBFLOW, nodeIn('sub', 'node'), instanceIn('tab1', 'first'), instanceIn('tab1', 'other')];
    should(findSuccessor('tab1/first/node', flows, 'tab1/other/node')).equal('inactive');
  });

  it('calls a node in a subflow without instances inactive', () => {
    should(findSuccessor('tab1/node', [SUBFLOW, nodeIn('sub', 'node')])).equal('inactive');
  });

  it('calls a node removed if its id is missing, or belongs to a node of another package', () => {
    should(findSuccessor('tab1/node', [nodeIn('tab1', 'other')], 'tab1/other')).equal('removed');
    should(findSuccessor('tab1/node', [nodeIn('tab1', 'node', { type: 'function' })])).equal('removed');
  });

  it('ignores a subflow that contains itself', () => {
    const flows = [SUBFLOW, nodeIn('sub', 'node'), instanceIn('sub', 'self'), instanceIn('tab1', 'first')];
    should(findSuccessor('tab1/first/node', flows, 'tab1/first/node')).deepEqual({ path: 'tab1/first/node' });
    should(findSuccessor('tab2/gone/node', flows)).equal('inactive');
  });
});
