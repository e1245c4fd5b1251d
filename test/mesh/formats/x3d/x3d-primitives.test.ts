import 'should';
import { measureFile } from '../measure-file.js';

/** Reads a shape in both encodings, checks that they agree, and returns its measures in meters with Z up. */
async function measureShape(type: string, fields: Record<string, string> = {}) {
  const vrml = Object.entries(fields).map(([name, value]) => `${name} ${/ /.test(value) ? `[${value}]` : value}`);
  const attributes = Object.entries(fields).map(([name, value]) => `${name}="${value}"`);
  const classic = `#VRML V2.0 utf8\nShape { geometry ${type} { ${vrml
    .join(' ')
    .replaceAll('size [', 'size ')
    .replaceAll(']', type === 'Box' ? '' : ']')} } }`;
  const xml = `<X3D><Scene><Shape><${type} ${attributes.join(' ').replaceAll('TRUE', 'true').replaceAll('FALSE', 'false')}/></Shape></Scene></X3D>`;
  const read = await measureFile(Buffer.from(classic), 'a.wrl');
  (await measureFile(Buffer.from(xml), 'a.x3d')).should.deepEqual(read);
  read.warnings.should.be.empty();
  return { ...read, box: read.box.map((value) => value / 1000), volume: read.volume / 1e9 };
}

function withinOnePercent(volume: number, expected: number): void {
  volume.should.be.approximately(expected, expected / 100);
}

describe('primitives of VRML and X3D', () => {
  it('include a Box', async () => {
    const unsized = await measureShape('Box');
    unsized.should.match({ level: 'solid', shells: 1, box: [-1, -1, -1, 1, 1, 1] });
    unsized.volume.should.be.approximately(8, 1e-9);
    const sized = await measureShape('Box', { size: '1 2 3' });
    sized.should.match({ level: 'solid', box: [-0.5, -1.5, -1, 0.5, 1.5, 1] });
    sized.volume.should.be.approximately(6, 1e-9);
  });

  it('include a Sphere', async () => {
    const unit = await measureShape('Sphere');
    unit.should.match({ level: 'solid', shells: 1, box: [-1, -1, -1, 1, 1, 1] });
    withinOnePercent(unit.volume, (4 / 3) * Math.PI);
    (await measureShape('Sphere', { radius: '0.5' })).box.should.deepEqual([-0.5, -0.5, -0.5, 0.5, 0.5, 0.5]);
  });

  it('include a Cone', async () => {
    const unit = await measureShape('Cone');
    unit.should.match({ level: 'solid', shells: 1, box: [-1, -1, -1, 1, 1, 1] });
    withinOnePercent(unit.volume, (2 / 3) * Math.PI);
    const sized = await measureShape('Cone', { bottomRadius: '2', height: '6' });
    sized.box.should.deepEqual([-2, -2, -3, 2, 2, 3]);
    (await measureShape('Cone', { bottom: 'FALSE' })).should.match({ level: 'open', triangles: 64 });
    (await measureShape('Cone', { side: 'FALSE' })).should.match({ level: 'open', box: [-1, -1, -1, 1, 1, -1] });
  });

  it('include a Cylinder', async () => {
    const unit = await measureShape('Cylinder');
    unit.should.match({ level: 'solid', shells: 1, box: [-1, -1, -1, 1, 1, 1] });
    withinOnePercent(unit.volume, 2 * Math.PI);
    (await measureShape('Cylinder', { radius: '3', height: '1' })).box.should.deepEqual([-3, -3, -0.5, 3, 3, 0.5]);
    for (const cap of ['top', 'bottom'])
      (await measureShape('Cylinder', { [cap]: 'FALSE' })).should.match({ level: 'open', triangles: 128 + 62 });
    (await measureShape('Cylinder', { side: 'FALSE' })).triangles.should.equal(2 * 62);
  });

  it('include an ElevationGrid, facing upward', async () => {
    const grid = { xDimension: '3', zDimension: '2', xSpacing: '2', zSpacing: '5', height: '0 0 0 0 1 0' };
    const read = await measureShape('ElevationGrid', grid);
    read.should.match({ level: 'open', triangles: 4, box: [0, -5, 0, 4, 0, 1] });
    const truncated = await measureShape('ElevationGrid', { ...grid, zDimension: '9' });
    truncated.triangles.should.equal(4);
  });

  it('are placed by transforms, and not as the proxy of a Collision', async () => {
    const proxy = 'Collision { proxy Shape { geometry Box { size 9 9 9 } } children Shape { geometry Box { } } }';
    const text = `#VRML V2.0 utf8\nTransform { translation 1 0 0 children ${proxy} }`;
    (await measureFile(Buffer.from(text), 'a.wrl')).box.should.deepEqual([0, -1000, -1000, 2000, 1000, 1000]);
    const xml =
      '<X3D><Scene><Collision><Shape containerField="proxy"><Box size="9 9 9"/></Shape><Shape><Box/></Shape></Collision></Scene></X3D>';
    (await measureFile(Buffer.from(xml), 'a.x3d')).box.should.deepEqual([-1000, -1000, -1000, 1000, 1000, 1000]);
  });
});
