import 'should';
import { readFbxTransform } from '../../../../src/mesh/formats/fbx/fbx-settings.js';
import { yUpToZUp } from '../../../../src/mesh/formats/reading/affine-transform.js';

function text(value: string): Buffer {
  const head = Buffer.alloc(5);
  head.write('S');
  head.writeUInt32LE(value.length, 1);
  return Buffer.concat([head, Buffer.from(value)]);
}
/** Returns a property as in a binary FBX. */
function property(name: string, type: 'D' | 'F' | 'I' | 'Q', value: number): Buffer {
  const number = Buffer.alloc(9);
  number.write(type);
  if (type === 'D') number.writeDoubleLE(value, 1);
  else if (type === 'F') number.writeFloatLE(value, 1);
  else number.writeInt32LE(value, 1);
  return Buffer.concat([text(name), text('type'), text('label'), text(''), number]);
}
function binary(...properties: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('Kaydara FBX Binary  \0'), Buffer.from('GlobalSettings'), ...properties]);
}

describe('readFbxTransform', () => {
  it('reads the unit and axes of a binary file from numbers of any type', () => {
    for (const type of ['D', 'F'] as const)
      readFbxTransform(binary(property('UnitScaleFactor', type, 100))).should.deepEqual(yUpToZUp(1000));
    const zUp = [property('UpAxis', 'I', 2), property('FrontAxis', 'I', 1), property('FrontAxisSign', 'I', -1)];
    readFbxTransform(binary(...zUp)).should.deepEqual([10, 0, 0, 0, 10, 0, 0, 0, 10, 0, 0, 0]);
  });

  it('ignores the original unit', () => {
    const both = binary(property('OriginalUnitScaleFactor', 'D', 100), property('UnitScaleFactor', 'D', 1));
    readFbxTransform(both).should.deepEqual(yUpToZUp(10));
  });

  it('reads both generations of ASCII files', () => {
    for (const line of [
      'P: "UnitScaleFactor", "double", "Number", "",2.5',
      'Property: "UnitScaleFactor", "double", "",2.5',
    ])
      readFbxTransform(Buffer.from(`GlobalSettings: {\n${line}\n}`)).should.deepEqual(yUpToZUp(25));
  });

  it('assumes centimeters if the unit is missing, truncated or invalid', () => {
    const cut = property('UnitScaleFactor', 'D', 100);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('GlobalSettings'),
      property('UnitScaleFactor', 'D', 100),
      binary(cut.subarray(0, cut.length - 1)),
      binary(property('UnitScaleFactor', 'Q', 100)),
      ...[0, -1, Number.NaN].map((value) => binary(property('UnitScaleFactor', 'D', value))),
    ])
      readFbxTransform(bytes).should.deepEqual(yUpToZUp(10));
  });
});
