import 'should';
import { yUpToZUp } from '../../../../src/mesh/formats/affine-transform.js';
import { readFbxPlacement } from '../../../../src/mesh/formats/libraries/fbx-settings.js';

const text = (value: string): Buffer => {
  const head = Buffer.alloc(5);
  head.write('S');
  head.writeUInt32LE(value.length, 1);
  return Buffer.concat([head, Buffer.from(value)]);
};
/** A property as a binary FBX has it. */
const property = (name: string, type: 'D' | 'F' | 'I' | 'Q', value: number): Buffer => {
  const number = Buffer.alloc(9);
  number.write(type);
  if (type === 'D') number.writeDoubleLE(value, 1);
  else if (type === 'F') number.writeFloatLE(value, 1);
  else number.writeInt32LE(value, 1);
  return Buffer.concat([text(name), text('type'), text('label'), text(''), number]);
};
const binary = (...properties: Buffer[]): Buffer =>
  Buffer.concat([Buffer.from('Kaydara FBX Binary  \0'), Buffer.from('GlobalSettings'), ...properties]);

describe('readFbxPlacement', () => {
  it('reads unit and axes of a binary file, whatever type their numbers have', () => {
    for (const type of ['D', 'F'] as const)
      readFbxPlacement(binary(property('UnitScaleFactor', type, 100))).should.deepEqual(yUpToZUp(1000));
    const zUp = [property('UpAxis', 'I', 2), property('FrontAxis', 'I', 1), property('FrontAxisSign', 'I', -1)];
    readFbxPlacement(binary(...zUp)).should.deepEqual([10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0]);
  });

  it('does not take the original unit for the unit', () => {
    const both = binary(property('OriginalUnitScaleFactor', 'D', 100), property('UnitScaleFactor', 'D', 1));
    readFbxPlacement(both).should.deepEqual(yUpToZUp(10));
  });

  it('reads a file of text of either age', () => {
    for (const line of [
      'P: "UnitScaleFactor", "double", "Number", "",2.5',
      'Property: "UnitScaleFactor", "double", "",2.5',
    ])
      readFbxPlacement(Buffer.from(`GlobalSettings: {\n${line}\n}`)).should.deepEqual(yUpToZUp(25));
  });

  it('takes centimetres where the unit is missing, cut off, or none', () => {
    const cut = property('UnitScaleFactor', 'D', 100);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('GlobalSettings'),
      property('UnitScaleFactor', 'D', 100),
      binary(cut.subarray(0, cut.length - 1)),
      binary(property('UnitScaleFactor', 'Q', 100)),
      ...[0, -1, Number.NaN].map((value) => binary(property('UnitScaleFactor', 'D', value))),
    ])
      readFbxPlacement(bytes).should.deepEqual(yUpToZUp(10));
  });
});
