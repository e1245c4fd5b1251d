import createRhino, { type InstanceReference, type RhinoModule, type Transform } from 'rhino3dm';
import { BOX_FACES, BOX_POINTS } from './box.js';

/** Creates a 3DM with the given unit, or none, and lets `fill` add its objects. */
export async function rhinoFile(
  unit: 'Inches' | 'None',
  fill: (rhino: RhinoModule, file: InstanceType<RhinoModule['File3dm']>) => void,
): Promise<Buffer> {
  const rhino = await createRhino();
  const file = new rhino.File3dm();
  file.settings().modelUnitSystem = rhino.UnitSystem[unit];
  fill(rhino, file);
  return Buffer.from(file.toByteArray());
}

/** Returns the box as a Rhino mesh of quads. */
export function rhinoBox(rhino: RhinoModule): InstanceType<RhinoModule['Mesh']> {
  const mesh = new rhino.Mesh();
  for (const [x, y, z] of BOX_POINTS) mesh.vertices().add(x, y, z);
  for (const [a, b, c, d] of BOX_FACES) mesh.faces().addQuadFace(a, b, c, d);
  return mesh;
}

/** Returns object attributes with a name. */
export function named(rhino: RhinoModule, name: string): InstanceType<RhinoModule['ObjectAttributes']> {
  const attributes = new rhino.ObjectAttributes();
  attributes.name = name;
  return attributes;
}

/** Returns an instance of a block. */
export function rhinoInstance(rhino: RhinoModule, block: string, placement: Transform): InstanceReference {
  // The types of the package omit the parameters of the constructor.
  const Instance = rhino.InstanceReference as unknown as new (block: string, placement: Transform) => InstanceReference;
  return new Instance(block, placement);
}
