import { type BufferGeometry, Group, Mesh, MeshBasicMaterial, type Plane, Scene, Sphere, Vector3 } from 'three';
import type { Preview } from '../preview/read-preview.js';
import { type CutFaces, createCutFaces } from './cut-face.js';
import { createDefectObjects, createGeometry, type DefectObjects } from './defect-objects.js';
import type { Placement } from './placement.js';
import { createSurfaceMaterial } from './surface-material.js';

/** The largest coordinate of the grid of a preview. */
const GRID_STEPS = 65_535;
const WIREFRAME_COLOR = 0x1d3348;

/** The scene of one model: its surface, its defects and its cut faces. */
export class ModelScene {
  readonly preview: Preview;
  readonly scene = new Scene();
  readonly #geometry: BufferGeometry;
  readonly #coarseGeometry: BufferGeometry | undefined;
  readonly #surface: Mesh;
  readonly #wireframe: Mesh<BufferGeometry, MeshBasicMaterial>;
  readonly #cutFaces: CutFaces;
  readonly #defects: DefectObjects[];

  /** `plane` cuts the model; it may change later. */
  constructor(preview: Preview, placement: Placement, plane: Plane) {
    this.preview = preview;
    this.#geometry = createSurfaceGeometry(preview.surface);
    this.#coarseGeometry = preview.coarseSurface && createSurfaceGeometry(preview.coarseSurface);
    this.#surface = new Mesh(this.#geometry, createSurfaceMaterial(plane));
    const wireframe = { color: WIREFRAME_COLOR, wireframe: true, clippingPlanes: [plane] };
    this.#wireframe = new Mesh(this.#geometry, new MeshBasicMaterial(wireframe));
    this.#wireframe.visible = false;
    this.#cutFaces = createCutFaces(this.#geometry, plane);
    this.#defects = preview.defects.map((defects) => createDefectObjects(defects, plane));
    this.scene.add(this.#createGroup(placement), this.#cutFaces.face);
    this.showCutFaces(false);
  }

  /** Creates the group of what is in the coordinates of the grid, which it converts to those of the scene. */
  #createGroup({ centerMm, extentMm }: Placement): Group {
    const { originMm, stepMm } = this.preview;
    const group = new Group();
    group.scale.setScalar(stepMm / extentMm);
    group.position.set(...(originMm.map((value, axis) => (value - (centerMm[axis] ?? 0)) / extentMm) as Triple));
    group.add(this.#surface, this.#wireframe, ...this.#cutFaces.stencils);
    for (const { objects } of this.#defects) group.add(...objects);
    for (const mesh of [this.#surface, this.#wireframe]) mesh.frustumCulled = false;
    group.updateMatrixWorld();
    return group;
  }

  /** The surface for ray casts: the coarse one, if there is one. */
  createRayTarget(): Mesh {
    const target = this.#surface.clone();
    target.geometry = this.#coarseGeometry ?? this.#geometry;
    target.matrixWorld.copy(this.#surface.matrixWorld);
    return target;
  }

  /** Selects the full or the coarse surface. */
  setDetail(detail: 'full' | 'coarse'): void {
    const geometry = detail === 'coarse' ? (this.#coarseGeometry ?? this.#geometry) : this.#geometry;
    for (const mesh of [this.#surface, this.#wireframe, ...this.#cutFaces.stencils]) mesh.geometry = geometry;
  }

  showWireframe(isVisible: boolean): void {
    this.#wireframe.visible = isVisible;
  }

  /** Shows or hides the faces where the plane cuts the model. Call it also after each change of the plane. */
  showCutFaces(isVisible: boolean): void {
    for (const mesh of [this.#cutFaces.face, ...this.#cutFaces.stencils]) mesh.visible = isVisible;
    this.#cutFaces.update();
  }

  /** Shows or hides the defects of one kind. */
  showDefects(kind: string, isVisible: boolean): void {
    for (const each of this.#defects)
      if (each.kind === kind) for (const object of each.objects) object.visible = isVisible;
  }

  dispose(): void {
    for (const each of [this.#geometry, this.#coarseGeometry, this.#cutFaces, ...this.#defects]) each?.dispose();
    for (const { material } of [this.#surface, this.#wireframe]) for (const each of [material].flat()) each.dispose();
  }
}

type Triple = [number, number, number];

/** Creates the geometry of a surface, with bounds for ray casts that need no pass over its vertices. */
function createSurfaceGeometry(surface: Preview['surface']): BufferGeometry {
  const geometry = createGeometry(surface);
  const center = new Vector3(1, 1, 1).multiplyScalar(GRID_STEPS / 2);
  geometry.boundingSphere = new Sphere(center, center.length());
  return geometry;
}
