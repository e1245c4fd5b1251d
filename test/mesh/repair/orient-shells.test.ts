import 'should';
import { ORIENT_SHELLS } from '../../../src/mesh/repair/orient-shells.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver, without } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';
import { runStep } from './run-step.js';

const inner = makeCube();
const middle = placed(makeCube(), [0.1, 0.2, 0.3], 3);
const outer = placed(makeCube(), [0, 0, 0], 9);

describe('the step shells', () => {
  it('turns an inverted shell outward', () => {
    runStep(ORIENT_SHELLS, turnedOver(inner)).should.containEql({ changed: 1, mesh: inner });
  });

  it('turns the inverted one of two shells side by side', () => {
    const two = joined(inner, placed(inner, [5, 0, 0]));
    runStep(ORIENT_SHELLS, turnedOver(two, ...Array.from({ length: 12 }, (_, i) => 12 + i))).mesh.should.deepEqual(two);
  });

  it('keeps a cavity and the body in it', () => {
    const nested = joined(outer, turnedOver(middle), inner);
    for (const mesh of [nested, rotated(nested)]) runStep(ORIENT_SHELLS, mesh).changed.should.equal(0);
  });

  it('leaves an outward body in another unchanged, for the self-union to merge', () => {
    runStep(ORIENT_SHELLS, joined(outer, inner)).changed.should.equal(0);
  });

  it('orients by nesting inside an inverted shell', () => {
    const nested = joined(outer, turnedOver(middle), inner);
    runStep(ORIENT_SHELLS, turnedOver(nested)).should.containEql({ changed: 3, mesh: nested });
    const inverted = joined(turnedOver(outer), turnedOver(middle), turnedOver(inner));
    const { analysis, changed } = runStep(ORIENT_SHELLS, inverted);
    changed.should.equal(2);
    analysis.boundsVolume.should.be.true();
  });

  it('winds a shell inside two that cross as in the file, if the file is inside out', () => {
    const crossing = joined(outer, placed(outer, [1, 2, 1.5]));
    for (const contained of [turnedOver(inner), inner]) {
      const mesh = joined(crossing, contained);
      runStep(ORIENT_SHELLS, turnedOver(mesh)).should.containEql({ changed: 3, mesh });
    }
  });

  it('leaves an open shell unchanged', () => {
    runStep(ORIENT_SHELLS, turnedOver(without(inner, 3))).changed.should.equal(0);
  });
});
