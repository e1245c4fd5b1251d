import {
  AlwaysStencilFunc,
  BackSide,
  type BufferGeometry,
  Color,
  DecrementWrapStencilOp,
  DoubleSide,
  FrontSide,
  IncrementWrapStencilOp,
  Mesh,
  MeshBasicMaterial,
  NotEqualStencilFunc,
  type Plane,
  PlaneGeometry,
  ReplaceStencilOp,
  ShaderMaterial,
  type Side,
  type StencilOp,
} from 'three';
import { SURFACE_COLORS } from './colors.js';

const VERTEX_SHADER = 'void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }';
/** Diagonal stripes, so that a cut face does not differ from a surface by its color alone. */
const FRAGMENT_SHADER = `
uniform vec3 faceColor;
uniform vec3 stripeColor;
void main() {
  float phase = fract((gl_FragCoord.x + gl_FragCoord.y) / 12.0);
  gl_FragColor = vec4(phase < 0.2 ? stripeColor : faceColor, 1.0);
  #include <colorspace_fragment>
}`;
/** The side of the square of the plane. Models have a size of 1. */
const PLANE_SIZE = 4;

/** The cut faces of a surface. */
export interface CutFaces {
  /** In the coordinates of the scene. */
  face: Mesh;
  /** The meshes that have the geometry of the surface, in its coordinates. */
  stencils: readonly Mesh[];
  /** Places the faces in the plane. */
  update(): void;
  dispose(): void;
}

/**
 * Creates the faces that close a surface where `plane` cuts it. Backs of the remaining part increment the stencil and
 * fronts decrement it, so that it is not 0 where a line of sight enters the solid through the plane (the method of
 * three's example clipping_stencil). The faces of an open surface may be incomplete.
 */
export function createCutFaces(geometry: BufferGeometry, plane: Plane): CutFaces {
  const stencils = [
    createStencil(geometry, plane, BackSide, IncrementWrapStencilOp),
    createStencil(geometry, plane, FrontSide, DecrementWrapStencilOp),
  ];
  const face = createFace();
  return {
    face,
    stencils,
    update() {
      plane.coplanarPoint(face.position);
      face.lookAt(face.position.clone().add(plane.normal));
    },
    dispose() {
      for (const { material } of stencils) material.dispose();
      face.material.dispose();
      face.geometry.dispose();
    },
  };
}

function createStencil(geometry: BufferGeometry, plane: Plane, side: Side, operation: StencilOp) {
  const material = new MeshBasicMaterial({
    ...{ side, clippingPlanes: [plane], depthWrite: false, depthTest: false, colorWrite: false },
    ...{ stencilWrite: true, stencilFunc: AlwaysStencilFunc },
    ...{ stencilFail: operation, stencilZFail: operation, stencilZPass: operation },
  });
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  mesh.renderOrder = 1;
  return mesh;
}

function createFace() {
  const material = new ShaderMaterial({
    ...{ vertexShader: VERTEX_SHADER, fragmentShader: FRAGMENT_SHADER, side: DoubleSide },
    uniforms: {
      faceColor: { value: new Color(SURFACE_COLORS.cutFace) },
      stripeColor: { value: new Color(SURFACE_COLORS.cutFaceStripe) },
    },
    ...{ stencilWrite: true, stencilRef: 0, stencilFunc: NotEqualStencilFunc },
    ...{ stencilFail: ReplaceStencilOp, stencilZFail: ReplaceStencilOp, stencilZPass: ReplaceStencilOp },
  });
  const face = new Mesh(new PlaneGeometry(PLANE_SIZE, PLANE_SIZE), material);
  face.frustumCulled = false;
  face.renderOrder = 2;
  return face;
}
