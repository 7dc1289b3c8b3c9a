// Loops that do what OpenCV's algorithms do for a few vectors of pixels, as its universal
// intrinsics would have them do it on arm64: the definitions are OpenCV's, the code is not. They
// are compiled for a processor and not run. Each function has one innermost loop.

#include <arm_neon.h>

using byte = unsigned char;

extern "C" {

// fast_test looks whether 16 pixels differ enough from two neighboring ones of four on the ring.
void fast_test(const byte *p, const long *ring, int n, byte threshold, int *list) {
	const uint8x16_t t = vdupq_n_u8(threshold);
	for (int x = 0; x < n; x += 16, p += 16) {
		const uint8x16_t v = vld1q_u8(p), high = vqaddq_u8(v, t), low = vqsubq_u8(v, t);
		const uint8x16_t a = vld1q_u8(p + ring[0]), b = vld1q_u8(p + ring[4]), c = vld1q_u8(p + ring[8]), d = vld1q_u8(p + ring[12]);
		const uint8x16_t ah = vcgtq_u8(a, high), bh = vcgtq_u8(b, high), ch = vcgtq_u8(c, high), dh = vcgtq_u8(d, high);
		const uint8x16_t al = vcgtq_u8(low, a), bl = vcgtq_u8(low, b), cl = vcgtq_u8(low, c), dl = vcgtq_u8(low, d);
		const uint8x16_t brighter = vandq_u8(vorrq_u8(ah, ch), vorrq_u8(bh, dh));
		const uint8x16_t darker = vandq_u8(vorrq_u8(al, cl), vorrq_u8(bl, dl));
		if (vmaxvq_u8(vorrq_u8(brighter, darker))) {
			*list++ = x;
		}
	}
}

// fast_ring goes over the 25 pixels of a ring and its beginning, and counts in each of 16 places how
// many in a row are brighter, or darker.
uint8x16_t fast_ring(const byte *p, const long *ring, byte threshold) {
	const uint8x16_t t = vdupq_n_u8(threshold), v = vld1q_u8(p), high = vqaddq_u8(v, t), low = vqsubq_u8(v, t);
	uint8x16_t brighter = vdupq_n_u8(0), darker = brighter, longest = brighter;
	for (int k = 0; k < 25; k++) {
		const uint8x16_t x = vld1q_u8(p + ring[k]), above = vcgtq_u8(x, high), below = vcgtq_u8(low, x);
		brighter = vandq_u8(vsubq_u8(brighter, above), above);
		darker = vandq_u8(vsubq_u8(darker, below), below);
		longest = vmaxq_u8(longest, vmaxq_u8(brighter, darker));
	}
	return longest;
}

// hamming lists the distances of descriptors of 32 bytes.
void hamming(const byte *query, const byte *train, int n, int *distances) {
	const uint8x16_t a = vld1q_u8(query), b = vld1q_u8(query + 16);
	for (int i = 0; i < n; i++, train += 32) {
		const uint8x16_t c = vcntq_u8(veorq_u8(a, vld1q_u8(train))), d = vcntq_u8(veorq_u8(b, vld1q_u8(train + 16)));
		distances[i] = vaddvq_u64(vaddq_u64(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(c))), vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(d)))));
	}
}

// squares adds squared differences of 16 floats.
float squares(const float *a, const float *b, int n) {
	float32x4_t s[4] = {vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0), vdupq_n_f32(0)};
	for (int i = 0; i < n; i += 16) {
#pragma clang loop unroll(full)
		for (int k = 0; k < 4; k++) {
			const float32x4_t d = vsubq_f32(vld1q_f32(a + i + 4 * k), vld1q_f32(b + i + 4 * k));
			s[k] = vfmaq_f32(s[k], d, d);
		}
	}
	return vaddvq_f32(vaddq_f32(vaddq_f32(s[0], s[1]), vaddq_f32(s[2], s[3])));
}

// flow_step adds the products of the differences and the derivatives of rows of 21 columns.
void flow_step(const byte *j, long stride, const short *i, const short *derivatives, const short *weights, int rows, float *out) {
	const int16x4_t w00 = vdup_n_s16(weights[0]), w01 = vdup_n_s16(weights[1]), w10 = vdup_n_s16(weights[2]), w11 = vdup_n_s16(weights[3]);
	float32x4_t x0 = vdupq_n_f32(0), x1 = x0, y0 = x0, y1 = x0;
	float sx = 0, sy = 0;
	for (int row = 0; row < rows; row++, j += stride, i += 21, derivatives += 42) {
#pragma clang loop unroll(full)
		for (int k = 0; k < 16; k += 8) {
			const int16x8_t a = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(j + k))), b = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(j + k + 1)));
			const int16x8_t c = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(j + stride + k))), d = vreinterpretq_s16_u16(vmovl_u8(vld1_u8(j + stride + k + 1)));
			int32x4_t low = vmull_s16(vget_low_s16(a), w00), high = vmull_s16(vget_high_s16(a), w00);
			low = vmlal_s16(low, vget_low_s16(b), w01), high = vmlal_s16(high, vget_high_s16(b), w01);
			low = vmlal_s16(low, vget_low_s16(c), w10), high = vmlal_s16(high, vget_high_s16(c), w10);
			low = vmlal_s16(low, vget_low_s16(d), w11), high = vmlal_s16(high, vget_high_s16(d), w11);
			const int16x8_t difference = vsubq_s16(vcombine_s16(vrshrn_n_s32(low, 9), vrshrn_n_s32(high, 9)), vld1q_s16(i + k));
			const int16x8x2_t g = vld2q_s16(derivatives + 2 * k);
			x0 = vaddq_f32(x0, vcvtq_f32_s32(vmull_s16(vget_low_s16(difference), vget_low_s16(g.val[0]))));
			x1 = vaddq_f32(x1, vcvtq_f32_s32(vmull_s16(vget_high_s16(difference), vget_high_s16(g.val[0]))));
			y0 = vaddq_f32(y0, vcvtq_f32_s32(vmull_s16(vget_low_s16(difference), vget_low_s16(g.val[1]))));
			y1 = vaddq_f32(y1, vcvtq_f32_s32(vmull_s16(vget_high_s16(difference), vget_high_s16(g.val[1]))));
		}
#pragma clang loop unroll(full)
		for (int k = 16; k < 21; k++) {
			const int v = j[k] * weights[0] + j[k + 1] * weights[1] + j[stride + k] * weights[2] + j[stride + k + 1] * weights[3];
			const int difference = ((v + 256) >> 9) - i[k];
			sx += difference * derivatives[2 * k];
			sy += difference * derivatives[2 * k + 1];
		}
	}
	out[0] = sx + vaddvq_f32(vaddq_f32(x0, x1));
	out[1] = sy + vaddvq_f32(vaddq_f32(y0, y1));
}

// down_row makes 8 sums along a row, of every other pixel and its neighbors.
void down_row(const byte *src, int *dst, int n) {
	for (int x = 0; x < n; x += 8, src += 16, dst += 8) {
		const uint8x8x2_t before = vld2_u8(src - 2), at = vld2_u8(src), after = vld2_u8(src + 2);
		uint16x8_t s = vaddl_u8(before.val[0], after.val[0]);
		s = vmlal_u8(s, at.val[0], vdup_n_u8(6));
		s = vaddq_u16(s, vshlq_n_u16(vaddl_u8(before.val[1], at.val[1]), 2));
		vst1q_s32(dst, vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(s))));
		vst1q_s32(dst + 4, vreinterpretq_s32_u32(vmovl_high_u16(s)));
	}
}

// down_columns makes 16 pixels of five rows of sums.
void down_columns(const int *a, const int *b, const int *c, const int *d, const int *e, byte *dst, int n) {
	for (int x = 0; x < n; x += 16) {
		int16x4_t part[4];
#pragma clang loop unroll(full)
		for (int k = 0; k < 4; k++) {
			const int at = x + 4 * k;
			const int32x4_t middle = vld1q_s32(c + at);
			int32x4_t s = vaddq_s32(vaddq_s32(vld1q_s32(a + at), vld1q_s32(e + at)), vaddq_s32(middle, middle));
			s = vaddq_s32(s, vshlq_n_s32(vaddq_s32(vaddq_s32(vld1q_s32(b + at), vld1q_s32(d + at)), middle), 2));
			part[k] = vqrshrn_n_s32(s, 8);
		}
		vst1q_u8(dst + x, vcombine_u8(vqmovun_s16(vcombine_s16(part[0], part[1])), vqmovun_s16(vcombine_s16(part[2], part[3]))));
	}
}

// tensor_products makes three products of the gradients of 4 pixels.
void tensor_products(const float *dx, const float *dy, float *out, int n) {
	for (int x = 0; x < n; x += 4) {
		const float32x4_t a = vld1q_f32(dx + x), b = vld1q_f32(dy + x);
		vst3q_f32(out + 3 * x, (float32x4x3_t{vmulq_f32(a, a), vmulq_f32(a, b), vmulq_f32(b, b)}));
	}
}

// tensor_rows makes the sums of a pixel's three products along a row, with doubles.
void tensor_rows(const float *p, double *sums, int n) {
	double a = 0, b = 0, c = 0;
#pragma clang loop vectorize(disable)
	for (int x = 0; x < n; x++, p += 3, sums += 3) {
		sums[0] = a += double(p[9]) - double(p[0]);
		sums[1] = b += double(p[10]) - double(p[1]);
		sums[2] = c += double(p[11]) - double(p[2]);
	}
}

// tensor_columns makes 4 sums down the columns.
void tensor_columns(double *__restrict sums, const double *enter, const double *leave, float *__restrict out, int n) {
	for (int x = 0; x < n; x += 4) {
		const float64x2_t a = vaddq_f64(vld1q_f64(sums + x), vld1q_f64(enter + x)), b = vaddq_f64(vld1q_f64(sums + x + 2), vld1q_f64(enter + x + 2));
		vst1q_f32(out + x, vcvt_high_f32_f64(vcvt_f32_f64(a), b));
		vst1q_f64(sums + x, vsubq_f64(a, vld1q_f64(leave + x)));
		vst1q_f64(sums + x + 2, vsubq_f64(b, vld1q_f64(leave + x + 2)));
	}
}

// tensor_responses makes the smaller eigenvalues of 4 pixels.
void tensor_responses(const float *sums, float *out, int n) {
	const float32x4_t half = vdupq_n_f32(.5f);
	for (int x = 0; x < n; x += 4) {
		const float32x4x3_t s = vld3q_f32(sums + 3 * x);
		const float32x4_t a = vmulq_f32(s.val[0], half), c = vmulq_f32(s.val[2], half), d = vsubq_f32(a, c);
		vst1q_f32(out + x, vsubq_f32(vaddq_f32(a, c), vsqrtq_f32(vfmaq_f32(vmulq_f32(s.val[1], s.val[1]), d, d))));
	}
}

// filter_row makes 4 sums of floats along a row, a tap after the other.
float32x4_t filter_row(const float *src, const float *taps, int n) {
	float32x4_t s = vmulq_n_f32(vld1q_f32(src), taps[0]);
	for (int k = 1; k < n; k++) {
		s = vfmaq_n_f32(s, vld1q_f32(src + k), taps[k]);
	}
	return s;
}

// smooth_row makes 4 sums of seven pixels along a row.
void smooth_row(const byte *src, const float *taps, float *dst, int n) {
	float32x4_t w[7];
#pragma clang loop unroll(full)
	for (int k = 0; k < 7; k++) {
		w[k] = vdupq_n_f32(taps[k]);
	}
	for (int x = 0; x < n; x += 4) {
		float32x4_t s = vdupq_n_f32(0);
#pragma clang loop unroll(full)
		for (int k = 0; k < 7; k++) {
			const uint8x8_t v = vreinterpret_u8_u32(vld1_dup_u32((const unsigned *)(src + x + k)));
			s = vfmaq_f32(s, vcvtq_f32_u32(vmovl_u16(vget_low_u16(vmovl_u8(v)))), w[k]);
		}
		vst1q_f32(dst + x, s);
	}
}

// smooth_columns makes 16 pixels of seven rows of sums.
void smooth_columns(const float *const *rows, const float *taps, byte *dst, int n) {
	const float32x4_t w0 = vdupq_n_f32(taps[0]), w1 = vdupq_n_f32(taps[1]), w2 = vdupq_n_f32(taps[2]), w3 = vdupq_n_f32(taps[3]);
	const float *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3], *e = rows[4], *f = rows[5], *g = rows[6];
	for (int x = 0; x < n; x += 16) {
		int16x4_t part[4];
#pragma clang loop unroll(full)
		for (int k = 0; k < 4; k++) {
			const int at = x + 4 * k;
			float32x4_t s = vmulq_f32(vld1q_f32(d + at), w0);
			s = vfmaq_f32(s, vaddq_f32(vld1q_f32(c + at), vld1q_f32(e + at)), w1);
			s = vfmaq_f32(s, vaddq_f32(vld1q_f32(b + at), vld1q_f32(f + at)), w2);
			s = vfmaq_f32(s, vaddq_f32(vld1q_f32(a + at), vld1q_f32(g + at)), w3);
			part[k] = vqmovn_s32(vcvtnq_s32_f32(s));
		}
		vst1q_u8(dst + x, vcombine_u8(vqmovun_s16(vcombine_s16(part[0], part[1])), vqmovun_s16(vcombine_s16(part[2], part[3]))));
	}
}

// warp_places makes places and fractions of 8 pixels of a row of an affine warp.
void warp_places(const int *dx, const int *dy, int x0, int y0, short *places, unsigned short *fractions, int n) {
	const int32x4_t startX = vdupq_n_s32(x0), startY = vdupq_n_s32(y0);
	const int16x8_t mask = vdupq_n_s16(31);
	for (int x = 0; x < n; x += 8) {
		const int32x4_t a = vshrq_n_s32(vaddq_s32(startX, vld1q_s32(dx + x)), 5), b = vshrq_n_s32(vaddq_s32(startX, vld1q_s32(dx + x + 4)), 5);
		const int32x4_t c = vshrq_n_s32(vaddq_s32(startY, vld1q_s32(dy + x)), 5), d = vshrq_n_s32(vaddq_s32(startY, vld1q_s32(dy + x + 4)), 5);
		vst2q_s16(places + 2 * x, (int16x8x2_t{vcombine_s16(vqshrn_n_s32(a, 5), vqshrn_n_s32(b, 5)), vcombine_s16(vqshrn_n_s32(c, 5), vqshrn_n_s32(d, 5))}));
		const int16x8_t fx = vandq_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b)), mask), fy = vandq_s16(vcombine_s16(vmovn_s32(c), vmovn_s32(d)), mask);
		vst1q_u16(fractions + x, vreinterpretq_u16_s16(vaddq_s16(vshlq_n_s16(fy, 5), fx)));
	}
}

// warp interpolates 8 pixels at places, with weights from a table.
void warp(const byte *src, int stride, const short *places, const unsigned short *fractions, const short *table, byte *dst, int n) {
	for (int x = 0; x < n; x += 8) {
		const int16x8x2_t at = vld2q_s16(places + 2 * x);
		int offsets[8];
		vst1q_s32(offsets, vmlal_n_s16(vmovl_s16(vget_low_s16(at.val[0])), vget_low_s16(at.val[1]), short(stride)));
		vst1q_s32(offsets + 4, vmlal_n_s16(vmovl_high_s16(at.val[0]), vget_high_s16(at.val[1]), short(stride)));
		int32x4_t sums[2];
#pragma clang loop unroll(full)
		for (int half = 0; half < 2; half++) {
			int32x4_t products[4];
#pragma clang loop unroll(full)
			for (int k = 0; k < 4; k++) {
				const byte *p = src + offsets[4 * half + k];
				uint16x4_t pairs = vdup_n_u16(0);
				pairs = vld1_lane_u16((const unsigned short *)p, pairs, 0);
				pairs = vld1_lane_u16((const unsigned short *)(p + stride), pairs, 1);
				const int16x4_t four = vreinterpret_s16_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u16(pairs))));
				products[k] = vmull_s16(four, vld1_s16(table + 4 * fractions[x + 4 * half + k]));
			}
			sums[half] = vpaddq_s32(vpaddq_s32(products[0], products[1]), vpaddq_s32(products[2], products[3]));
		}
		vst1_u8(dst + x, vqmovun_s16(vcombine_s16(vqrshrn_n_s32(sums[0], 15), vqrshrn_n_s32(sums[1], 15))));
	}
}

// refine adds the moments of a pixel of a window.
void refine(const float *p, long stride, const float *mask, int n, double y, double *out) {
	double a = 0, b = 0, c = 0, s = 0, t = 0;
#pragma clang loop vectorize(disable)
	for (int x = 0; x < n; x++) {
		const double m = mask[x], gx = p[x + 1] - p[x - 1], gy = p[x + stride] - p[x - stride], at = x - n / 2;
		const double xx = gx * gx * m, xy = gx * gy * m, yy = gy * gy * m;
		a += xx, b += xy, c += yy;
		s += xx * at + xy * y, t += xy * at + yy * y;
	}
	out[0] += a, out[1] += b, out[2] += c, out[3] += s, out[4] += t;
}
}
