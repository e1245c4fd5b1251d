import createRhino, { type InstanceReference, type RhinoModule, type Transform } from 'rhino3dm';
import { BOX_FACES, BOX_POINTS } from './box.js';

/** Makes a 3DM with what `fill` puts into it; its numbers are in a unit, or in none. */
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

/** The box as a mesh of Rhino's, its faces with four corners. */
export function rhinoBox(rhino: RhinoModule): InstanceType<RhinoModule['Mesh']> {
  const mesh = new rhino.Mesh();
  for (const [x, y, z] of BOX_POINTS) mesh.vertices().add(x, y, z);
  for (const [a, b, c, d] of BOX_FACES) mesh.faces().addQuadFace(a, b, c, d);
  return mesh;
}

/** What Rhino knows of an object besides its shape: its name. */
export function named(rhino: RhinoModule, name: string): InstanceType<RhinoModule['ObjectAttributes']> {
  const attributes = new rhino.ObjectAttributes();
  attributes.name = name;
  return attributes;
}

/** A block, placed. */
export function rhinoInstance(rhino: RhinoModule, block: string, placement: Transform): InstanceReference {
  // The package's types leave out what its constructor takes.
  const Instance = rhino.InstanceReference as unknown as new (block: string, placement: Transform) => InstanceReference;
  return new Instance(block, placement);
}
