import 'should';
import { preservesModel as preservesIndexed } from '../../../src/mesh/arrangement/preserves-model.js';
import type { IndexedMesh } from '../../../src/mesh/core/mesh.js';
import { createMeshIndex } from '../../../src/mesh/spatial/mesh-index.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';

const MOVED_MM = 1e-5;
function body() {
  return placed(makeCube(), [0, 0, 0], 10);
}
function pin() {
  return placed(makeCube(), [0, 0, 12], 0.05);
}

function preservesModel(before: IndexedMesh, after: IndexedMesh, maxDisplacementMm: number): boolean {
  return preservesIndexed(createMeshIndex(before), createMeshIndex(after), maxDisplacementMm);
}

describe('preservesModel', () => {
  it('accepts an identical mesh and a union', () => {
    preservesModel(body(), body(), MOVED_MM).should.be.true();
    preservesModel(joined(body(), placed(body(), [0, 0, 0], 0.5)), body(), MOVED_MM).should.be.true();
    preservesModel(
      joined(body(), turnedOver(makeCube())),
      joined(body(), turnedOver(makeCube())),
      MOVED_MM,
    ).should.be.true();
  });

  it('rejects a result that lacks a small shell', () => {
    const frame = placed(makeCube(), [0, 0, 14]); // keeps the bounds without the pin
    const model = joined(body(), pin(), frame);
    preservesModel(model, model, MOVED_MM).should.be.true();
    preservesModel(model, joined(body(), frame), MOVED_MM).should.be.false();
    preservesModel(rotated(model), rotated(joined(body(), frame)), MOVED_MM).should.be.false();
  });

  it('rejects a result that lacks more than a fifth of the volume', () => {
    const hollow = (size: number) => joined(body(), turnedOver(placed(makeCube(), [0, 0, 0], size)));
    preservesModel(body(), hollow(5), MOVED_MM).should.be.true();
    preservesModel(body(), hollow(7), MOVED_MM).should.be.false();
  });

  it('rejects a result with smaller bounds', () => {
    const tip = placed(makeCube(), [0, 0, 10.5], 0.9);
    preservesModel(joined(body(), tip), body(), MOVED_MM).should.be.false();
  });
});
