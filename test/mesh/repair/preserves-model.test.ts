import 'should';
import { preservesModel } from '../../../src/mesh/repair/preserves-model.js';
import { makeCube } from '../models/cube.js';
import { joined, placed, turnedOver } from '../models/mesh-of.js';
import { rotated } from '../models/transform.js';

const MOVED_MM = 1e-5;
const body = () => placed(makeCube(), [0, 0, 0], 10);
const pin = () => placed(makeCube(), [0, 0, 12], 0.05);

describe('hasKeptAll', () => {
  it('is content with what is the same, and with a union', () => {
    preservesModel(body(), body(), MOVED_MM).should.be.true();
    preservesModel(joined(body(), placed(body(), [0, 0, 0], 0.5)), body(), MOVED_MM).should.be.true();
    preservesModel(
      joined(body(), turnedOver(makeCube())),
      joined(body(), turnedOver(makeCube())),
      MOVED_MM,
    ).should.be.true();
  });

  it('misses a shell, however small', () => {
    const frame = placed(makeCube(), [0, 0, 14]); // so that the box stays
    const all = joined(body(), pin(), frame);
    preservesModel(all, all, MOVED_MM).should.be.true();
    preservesModel(all, joined(body(), frame), MOVED_MM).should.be.false();
    preservesModel(rotated(all), rotated(joined(body(), frame)), MOVED_MM).should.be.false();
  });

  it('misses a fifth of the volume', () => {
    const hollow = (size: number) => joined(body(), turnedOver(placed(makeCube(), [0, 0, 0], size)));
    preservesModel(body(), hollow(5), MOVED_MM).should.be.true();
    preservesModel(body(), hollow(7), MOVED_MM).should.be.false();
  });

  it('misses a piece of the box', () => {
    const tip = placed(makeCube(), [0, 0, 10.5], 0.9);
    preservesModel(joined(body(), tip), body(), MOVED_MM).should.be.false();
  });
});
