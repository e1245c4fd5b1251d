import { Color, DoubleSide, type Plane, ShaderMaterial } from 'three';
import { SURFACE_COLORS } from './colors.js';

const VERTEX_SHADER = `
varying vec3 vPosition;
#include <clipping_planes_pars_vertex>
void main() {
  vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
  vPosition = mvPosition.xyz;
  gl_Position = projectionMatrix * mvPosition;
  #include <clipping_planes_vertex>
}`;

// The light is that of src/mesh/rendering/shade.ts, without occlusion, so that the view and the thumbnails agree.
//
// Surfaces are drawn slightly behind their depth, so that edges on them stay visible, and backs behind fronts: at the
// silhouette of a closed surface, both have the same depth, and backs would show as dots. Both depend on the slope.
const FRAGMENT_SHADER = `
uniform vec3 frontColor;
uniform vec3 backColor;
varying vec3 vPosition;
#include <clipping_planes_pars_fragment>

const vec3 KEY_LIGHT = normalize(vec3(-0.5, 0.75, 0.75));
const vec3 FILL_LIGHT = normalize(vec3(0.9, -0.1, 0.45));
const vec3 HALF_VECTOR = normalize(KEY_LIGHT + vec3(0.0, 0.0, 1.0));
const float MAX_OFFSET = 0.002;

void main() {
  #include <clipping_planes_fragment>
  vec3 normal = normalize(cross(dFdx(vPosition), dFdy(vPosition)));
  float sky = 0.3 + 0.16 * normal.y;
  float diffuse = sky + 0.82 * max(0.0, dot(normal, KEY_LIGHT)) + 0.16 * max(0.0, dot(normal, FILL_LIGHT));
  float gloss = 0.1 * pow(max(0.0, dot(normal, HALF_VECTOR)), 24.0);
  gl_FragColor = vec4((gl_FrontFacing ? frontColor : backColor) * diffuse + gloss, 1.0);
  #include <colorspace_fragment>
  float slope = abs(dFdx(gl_FragCoord.z)) + abs(dFdy(gl_FragCoord.z));
  gl_FragDepth = gl_FragCoord.z + min(2.0 * slope, MAX_OFFSET) * (gl_FrontFacing ? 1.0 : 2.0) + 4e-5;
}`;

/** Creates the material of a surface, shown from both sides. `plane` cuts it. */
export function createSurfaceMaterial(plane: Plane): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: VERTEX_SHADER,
    fragmentShader: FRAGMENT_SHADER,
    uniforms: {
      frontColor: { value: new Color(SURFACE_COLORS.front) },
      backColor: { value: new Color(SURFACE_COLORS.back) },
    },
    side: DoubleSide,
    clipping: true,
    clippingPlanes: [plane],
  });
}
