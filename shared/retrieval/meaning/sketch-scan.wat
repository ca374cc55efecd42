;; The kernel of sketch-scan.ts, which has its compiled bytes: test/retrieval/sketch-scan.test.ts prints them if they differ.
;; Two or four sketches in a loop take 3 to 8 % less time and 1.5 or 2.5 times the code.
(module
  ;; Four pages of 64 KiB: sketches, distances and planes, where the caller says.
  (memory (export "memory") 4)

  ;; For each of `count` sketches, at least one: 4 * |x ^ high| + 2 * |x ^ middle| + |x ^ low|.
  ;; A sketch or a plane has 192 bytes; the planes follow each other.
  (func (export "scan")
    (param $planes i32) (param $sketch i32) (param $count i32) (param $distance i32)
    (local $plane i32) (local $planeEnd i32) (local $distanceEnd i32)
    (local $x v128) (local $high v128) (local $middle v128) (local $low v128)
    (local.set $planeEnd (i32.add (local.get $planes) (i32.const 192)))
    (local.set $distanceEnd (i32.add (local.get $distance) (i32.shl (local.get $count) (i32.const 1))))
    (loop $sketches
      (local.set $plane (local.get $planes))
      (local.set $high (v128.const i32x4 0 0 0 0))
      (local.set $middle (v128.const i32x4 0 0 0 0))
      (local.set $low (v128.const i32x4 0 0 0 0))
      ;; Each of the 16 bytes counts to at most 12 * 8 = 96.
      (loop $vectors
        (local.set $x (v128.load (local.get $sketch)))
        (local.set $high (i8x16.add (local.get $high)
          (i8x16.popcnt (v128.xor (local.get $x) (v128.load (local.get $plane))))))
        (local.set $middle (i8x16.add (local.get $middle)
          (i8x16.popcnt (v128.xor (local.get $x) (v128.load offset=192 (local.get $plane))))))
        (local.set $low (i8x16.add (local.get $low)
          (i8x16.popcnt (v128.xor (local.get $x) (v128.load offset=384 (local.get $plane))))))
        (local.set $sketch (i32.add (local.get $sketch) (i32.const 16)))
        (local.set $plane (i32.add (local.get $plane) (i32.const 16)))
        (br_if $vectors (i32.ne (local.get $plane) (local.get $planeEnd))))
      ;; Eight numbers of 16 bits, each at most 7 * 192.
      (local.set $x
        (i16x8.add
          (i16x8.add
            (i16x8.shl (i16x8.extadd_pairwise_i8x16_u (local.get $high)) (i32.const 2))
            (i16x8.shl (i16x8.extadd_pairwise_i8x16_u (local.get $middle)) (i32.const 1)))
          (i16x8.extadd_pairwise_i8x16_u (local.get $low))))
      ;; The product's upper 16 bits are the sum of its four numbers.
      (i64.store16 (local.get $distance)
        (i64.shr_u
          (i64.mul
            (i64.add (i64x2.extract_lane 0 (local.get $x)) (i64x2.extract_lane 1 (local.get $x)))
            (i64.const 0x0001000100010001))
          (i64.const 48)))
      (local.set $distance (i32.add (local.get $distance) (i32.const 2)))
      (br_if $sketches (i32.ne (local.get $distance) (local.get $distanceEnd))))))
