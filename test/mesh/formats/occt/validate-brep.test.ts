import 'should';
import { isCompleteBrep } from '../../../../src/mesh/formats/occt/validate-brep.js';
import { brepBox } from '../files/brep.js';

describe('isCompleteBrep', () => {
  const box = brepBox().toString();

  it('accepts curved, meshed and compound shapes as programs write them', () => {
    for (const [part, other] of [
      ['PolygonOnTriangulations 0', 'PolygonOnTriangulations 1\n2 1 2 \np 0.25 1 0 6.28318530717959 '],
      ['\n0\n\n0101000', '\n3  1 2CN 1 0 0 1\n0\n\n0101000'],
      ['\n0\n\n0101000', '\n4C0 1 0 2 0\n0\n\n0101000'],
      ['\n0\n\n0101000', '\n4 G1 1 0 2 0\n0\n\n0101000'],
      ['+1 0 ', 'i1 0 '],
      ['+1 0 ', 'e1 0 '],
      ['1e-07', '1e-007'],
    ] as const) {
      box.should.containEql(part);
      isCompleteBrep(box.replace(part, other)).should.be.true(other);
    }
  });

  it('rejects a shape with a missing or additional token in version 1', () => {
    for (const [part, other] of [
      ['1  1 0 0', '1  1 0'],
      ['1  1 0 0', '1  1 0 0 0'],
      ['0 0\n\n0101101', '0\n\n0101101'],
      ['\n0\n\n0101000', '\n8 1 0\n0\n\n0101000'],
      ['0101100\n', ''],
    ] as const) {
      box.should.containEql(part);
      isCompleteBrep(box.replace(part, other)).should.be.false(other);
    }
    isCompleteBrep(box.replace('Topology V1', 'Topology V3').replace('1  1 0 0', '1  1 0 0 0')).should.be.true();
  });

  it('rejects truncated content', () => {
    for (const length of [box.length - 30, box.length / 2, 100]) isCompleteBrep(box.slice(0, length)).should.be.false();
  });

  it('rejects tokens that are almost valid', () => {
    for (const other of ['q 1', '2CX', '1x-07', 'p1', 'i', '--1'])
      isCompleteBrep(box.replace('PolygonOnTriangulations 0', `PolygonOnTriangulations 0\n${other}`)).should.be.false(
        other,
      );
  });
});
