"""A short file in each language. A line that defines something ends with « kind name »: t type, f function, v value,
s scope. Everything else (comments, strings, calls, locals, declarations without a body) must define nothing.
"""

SAMPLES = {
    "bash": """
#!/usr/bin/env bash
# function old_backup() { :; }
export BACKUP_ROOT="/srv/backup"                       « v BACKUP_ROOT »
retries=3                                              « v retries »
function rotate_logs() {                               « f rotate_logs »
    local count=0
    echo "stop() { nothing; }"
}
disk::usage () {                                       « f disk::usage »
    df -h
}
alias ll='ls -l'                                       « f ll »
@test "rotation keeps seven files" {                   « f rotation keeps seven files »
    run rotate_logs
}
if [ -n "$1" ]; then rotate_logs; fi
""",
    "c": """
/* int commented(void) {
int also_commented(void) {
*/
#include <stdio.h>
#ifndef RING_H
#define RING_H
#define RING_SIZE 64                                   « v RING_SIZE »
#define ring_next(i) (((i) + 1) % RING_SIZE)           « f ring_next »
struct ring;
typedef struct ring ring_t;                            « t ring_t »
struct ring {                                          « t ring »
    int head;
};
typedef int (*ring_visit)(struct ring *, int);         « t ring_visit »
typedef struct {
    int x;
} point_t;                                             « t point_t »
enum state { IDLE, BUSY };                             « t state »
static const char *names[] = {                         « v names »
    "idle", "busy"
};
int ring_push(struct ring *r, int value);
static int ring_full(const struct ring *r) {           « f ring_full »
    return ring_count(r) == RING_SIZE;
}
unsigned long ring_count(struct ring *r,               « f ring_count »
                         int flags)
{
    if (r == NULL)
        return abort_with("no ring");
    else if (flags)
        report(r,
               flags);
}
#endif
""",
    "cpp": """
#include <vector>
// class Old {
namespace store::cache {                               « s store::cache »
template <typename K, typename V>
class LruCache final : public Cache<K, V> {            « t LruCache »
 public:
  explicit LruCache(size_t capacity)                   « f LruCache »
      : capacity_(capacity) {}
  V* find(const K& key) {                              « f find »
    auto it = map_.find(key);
    return Touch(it,
                 key);
  }
  bool operator==(const LruCache& other) const {       « f operator== »
    return other.map_ == map_;
  }
  operator bool() const { return !map_.empty(); }      « f operator bool »
  void erase(const K& key);
};
class STORE_EXPORT Disk {                              « t Disk »
};
enum class Mode : uint8_t { kRead, kWrite };           « t Mode »
using Key = std::string;                               « t Key »
constexpr int kLimit = 16;                             « v kLimit »
template <typename T> T Max(T a, T b) {                « f Max »
  std::cout << Format(a,
                      b);
  return a > b ? a : b;
}
Disk::Disk(Mode mode)                                  « f Disk::Disk »
    : mode_(mode) {
}
void Disk::Flush() noexcept {                          « f Disk::Flush »
}
}  // namespace store::cache
""",
    "objective-c": """
#import <Foundation/Foundation.h>
@class Other;
@interface Player : NSObject                           « t Player »
@property (nonatomic, copy) NSString *name;            « v name »
- (void)play:(NSURL *)url;                             « f play »
@end
@implementation Player                                 « t Player »
+ (instancetype)shared {                               « f shared »
    return [self new];
}
@end
static NSString *Describe(Player *p) {                 « f Describe »
}
""",
    "csharp": """
using System;
namespace Shop.Orders                                  « s Shop.Orders »
{
    /// <summary>class Nothing { }</summary>
    [Serializable]
    public sealed partial class Order<T> : IOrder      « t Order »
    {
        private const int MaxLines = 100;              « v MaxLines »
        public string? Name { get; set; }              « v Name »
        public Order(string name)                      « f Order »
        {
            Name = name;
        }
        public async Task<Dictionary<string, int>> CountAsync(CancellationToken token)   « f CountAsync »
        {
            var total = Compute(token);
            return await Load(total);
        }
        public static Order<T> operator +(Order<T> a, Order<T> b)                        « f operator + »
        {
            throw new InvalidOperationException("x");
        }
        void IDisposable.Dispose()                     
        {
        }
    }
    public record struct Money(decimal Amount);        « t Money »
    public interface IOrder { }                        « t IOrder »
    public delegate void Changed(object sender);       « t Changed »
    internal enum State { Open, Closed }               « t State »
}
""",
    "elixir": '''
defmodule Shop.Cart do                                 « t Shop.Cart »
  @moduledoc """
  def not_here(x) do
  """
  @timeout 5_000                                       « v timeout »
  @type item :: {atom, integer}                        « t item »
  @callback total(list) :: integer                     « f total »
  @impl true
  def add(cart, item) do                               « f add »
    @timeout
  end
  defp valid?(item), do: item != nil                   « f valid? »
  defmacro debug(expr) do                              « f debug »
  end
  defmodule Line do                                    « t Line »
    defstruct [:sku]
  end
end
defimpl String.Chars, for: Shop.Cart do                « s String.Chars.Shop.Cart »
  def to_string(_), do: "cart"                         « f to_string »
end
''',
    "go": """
package store
import "fmt"
/*
func commented() {}
*/
const Version = "1"                                    « v Version »
var (
	ErrClosed = errors.New("closed")                   « v ErrClosed »
	_ Reader = (*File)(nil)
)
type Reader interface {                                « t Reader »
	Read(p []byte) (int, error)
}
type (
	offset int64                                       « t offset »
)
func Open(name string) (*File, error) {                « f Open »
	size := 1
	const local = 2
	go func() { fmt.Println(size) }()
	return nil, nil
}
func (f *File) Read(p []byte) (int, error) {           « f File.Read »
}
func (s Set[T]) Has(v T) bool { return false }         « f Set.Has »
func Map[T, U any](in []T, f func(T) U) []U {          « f Map »
}
""",
    "haskell": """
{- | Old:
gone :: Int
-}
module Data.Ring                                       « s Data.Ring »
  ( Ring
  ) where
import qualified Data.Map as M
-- | lost :: Int
data Ring a = Ring                                     « t Ring »
  { ringHead :: Int                                    « v ringHead »
  }
newtype (Eq a) => Wrap a = Wrap a                      « t Wrap »
type family Elem c                                     « t Elem »
class (Monad m) => MonadStore m where                  « t MonadStore »
  load :: Key -> m Value                               « v load »
instance (Show a) => Show (Ring a) where               « s Show.Ring »
  show _ = "ring"
push, pushAll :: a -> Ring a -> Ring a                 « f push »
push x r = go r
  where
    go :: Ring a -> Ring a
    go = id
(<+>) :: Ring a -> Ring a -> Ring a                    « f <+> »
fold'                                                  « f fold' »
  :: (a -> b) -> Ring a -> b
""",
    "java": '''
package org.shop.cart;                                 « s org.shop.cart »
/**
 * class Fake {
 */
@Deprecated
public final class Cart<T extends Item> implements Iterable<T> {   « t Cart »
    private static final int LIMIT = 10;               « v LIMIT »
    private final Map<String, List<T>> lines;          « v lines »
    @Inject public Cart(Clock clock) {                 « f Cart »
        this.lines = new HashMap<>();
    }
    @Override public Iterator<T> iterator() {          « f iterator »
        return lines.iterator();
    }
    static <K, V> Map<K, V> copy(Map<K, V> in)         « f copy »
            throws IOException {
        String text = """
            public void fake() {
            """;
        else if (done(in)) {
        }
    }
    int total(int[] parts);                            « f total »
    enum State { OPEN, CLOSED }                        « t State »
    record Line(String sku, int count) {}              « t Line »
    @interface Marker {}                               « t Marker »
}
''',
    "javascript": """
import fs from 'fs';
// function gone() {}
const LIMIT = 10;                                      « v LIMIT »
const quote = /[`'"]/;                                 « v quote »
export default class Cart extends Base {               « t Cart »
  static of(items) {                                   « f of »
    const cart = new Cart();
    if (items) {
      cart.add(items, () => {
        cart.done();
      });
    }
    return cart;
  }
  get size() { return this.items.length; }             « f size »
  async #load(url) {                                   « f #load »
  }
}
export async function* walk(root) {                    « f walk »
  const text = `
function fake() {
`;
}
export const add = (a, b) => a + b;                    « f add »
const later = async (                                  « f later »
  a,
) => a;
Cart.prototype.clear = function () {                   « f clear »
};
module.exports = { walk };
const handlers = {                                     « v handlers »
  click(event) {                                       « f click »
  },
  focus: (event) => {                                  « f focus »
  },
  name: 'x',
};
""",
    "kotlin": '''
package shop.cart
/* class Gone */
@Serializable data class Line(val sku: String)         « t Line »
sealed interface State {                               « t State »
    companion object { const val MAX = 3 }
}
internal object Registry : Base() {                    « t Registry »
    private val lines = mutableListOf<Line>()          « v lines »
    override suspend fun load(id: Int): Line {         « f load »
        val local = 1
        return query("""
            class Fake
        """)
    }
}
public inline fun <T> Iterable<T>.second(): T = drop(1).first()   « f second »
val String.shout: String get() = uppercase()           « v shout »
typealias Handler = (Line) -> Unit                     « t Handler »
enum class Mode { READ, WRITE }                        « t Mode »
fun interface Visitor { fun visit(line: Line) }        « t Visitor »
''',
    "lua": """
--[[
function gone()
]]
---@class Cart
local M = {}                                           « v M »
local LIMIT = 10                                       « v LIMIT »
M.defaults = {                                         « v M.defaults »
  size = 1,
  on_open = function() end,                            « f on_open »
}
local function check(item)                             « f check »
  local ok = item ~= nil
  return ok
end
function M.add(cart, item)                             « f M.add »
end
function M:total()                                     « f M:total »
end
M.clear = function(cart)                               « f M.clear »
end
return M
""".replace("---@class Cart\n", "---@class Cart                                         « t Cart »\n"),
    "php": """
<?php
namespace Shop\\Cart;
/**
 * function gone() {}
 */
abstract class Cart implements \\Countable              « t Cart »
{
    private const LIMIT = 10;                          « v LIMIT »
    protected ?array $lines = [];                      « v lines »
    public static function of(array $items): self      « f of »
    {
        $local = new self();
        return $local->add(function ($x) { return $x; });
    }
    abstract public function count(): int;             « f count »
}
interface Priced {}                                    « t Priced »
trait Loggable {}                                      « t Loggable »
enum Suit: string {}                                   « t Suit »
function &helper($x) {}                                « f helper »
define('SHOP_DEBUG', true);                            « v SHOP_DEBUG »
""",
    "python": '''
"""A module.

class Gone:
"""
import os
LIMIT: int = 10                                        « v LIMIT »
handlers = {                                           « v handlers »
}
if LIMIT == 3:
    pass
@dataclass
class Cart(Base):                                      « t Cart »
    size: int = 0                                      « v size »
    async def load(self, url=None):                    « f load »
        """Load.

        def fake(): pass
        """
        local = 1
        def inner():                                   « f inner »
            pass
    @property
    def total(self): return 0                          « f total »
main(
    name=3,
)
type Pair[T] = tuple[T, T]                             « t Pair »
cpdef int fast(int x):                                 « f fast »
    return x
''',
    "ruby": """
=begin
def gone
=end
module Shop                                            « t Shop »
  class Cart::Line < Base                              « t Cart::Line »
    LIMIT = 10                                         « v LIMIT »
    attr_reader :items, :owner                         « v items »
    Point = Struct.new(:x, :y)                         « t Point »
    class << self
      def build(*args)                                 « f build »
        total = 1
      end
    end
    private def check!(item) = item                    « f check! »
    def self.find(id)                                  « f find »
    end
    def size=(value)                                   « f size= »
    end
    def ==(other)                                      « f == »
    end
    def empty?; end                                    « f empty? »
    alias_method :length, :size                        « f length »
  end
end
""",
    "rust": """
/* fn gone() {} */
#[derive(Debug)]
pub(crate) struct Ring<'a, T> {                        « t Ring »
    head: &'a T,
}
pub enum State { Idle, Busy('"') }                     « t State »
pub trait Store: Send {                                « t Store »
    type Key;                                          « t Key »
    async fn load(&self, key: Self::Key) -> u8;        « f load »
}
impl<'a, T: Into<Vec<u8>>> Ring<'a, T> {               « s Ring »
    pub const SIZE: usize = 4;                         « v SIZE »
    pub const fn new() -> Self {                       « f new »
        let local = 1;
        const INNER: u8 = 1;
    }
}
impl<T> fmt::Display for cache::Ring<'_, T> {          « s Ring »
    fn fmt(&self) {                                    « f fmt »
        let text = r#"
fn fake() {
"#;
    }
}
macro_rules! ring {                                    « f ring »
    ($x:expr) => {};
}
mod tests {                                            « s tests »
}
pub unsafe extern "C" fn ffi() {}                      « f ffi »
static mut COUNT: u32 = 0;                             « v COUNT »
mod other;
""",
    "scala": '''
package shop
/** class Gone */
sealed trait Cart[F[_]] extends Base {                 « t Cart »
  def total: Int                                       « f total »
  private[shop] def |+|(other: Cart[F]): Cart[F] = {   « f |+| »
    val local = 1
    other
  }
  implicit val order: Order[Int] = ???                 « v order »
}
final case class Line(sku: String)                     « t Line »
object Cart {                                          « t Cart »
  type Id = Int                                        « t Id »
  lazy val empty = """
class Fake
  """
}
package object util {}                                 « t util »
enum Color { case Red }                                « t Color »
given ordering: Ordering[Int] = ???                    « f ordering »
'''.replace('lazy val empty = """\n', 'lazy val empty = """                                  « v empty »\n'),
    "swift": """
import Foundation
/* class Gone {} */
@MainActor public final class Cart: Base {             « t Cart »
    private(set) var lines: [Line] = []                « v lines »
    static let shared = Cart()                         « v shared »
    public init(name: String) {                        « f init »
        let local = 1
    }
    @discardableResult
    public func add<T: Item>(_ item: T) async throws -> Bool {   « f add »
        guard let x = y else { return false }
    }
    class func build() -> Cart {                       « f build »
    }
    subscript(index: Int) -> Line { lines[index] }     « f subscript »
}
public struct Line {}                                  « t Line »
extension Cart: Equatable {                            « s Cart »
    static func == (a: Cart, b: Cart) -> Bool {        « f == »
    }
}
protocol Priced {                                      « t Priced »
    associatedtype Money                               « t Money »
}
typealias Handler = (Line) -> Void                     « t Handler »
indirect enum Tree { case leaf }                       « t Tree »
""",
    "typescript": """
/**
 * interface Gone {}
 */
export interface Cart<T extends Item = Item> {         « t Cart »
  readonly size: number;                               « v size »
  add(item: T): void;
}
export type Handler<T> = (item: T) => void;            « t Handler »
export declare const VERSION: string;                  « v VERSION »
const enum Mode { Read, Write }                        « t Mode »
export abstract class Store<T> implements Cart<T> {    « t Store »
  private items: T[] = [];                             « v items »
  protected abstract load(id: string): Promise<T>;     « f load »
  constructor(private readonly name: string) {         « f constructor »
    super();
  }
  public async find<K extends keyof T>(                « f find »
    key: K,
  ): Promise<T[K]> {
    for (const item of this.items) {
    }
    const local = 1;
  }
  handle = async (event: Event): Promise<void> => {    « f handle »
  };
}
export const build: Builder<Cart> = (options) => {     « f build »
};
export const Provider = ({                             « f Provider »
  children,
}: Props) => {
  const inner = useState(1);
};
namespace Shop.Util {                                  « s Shop.Util »
}
function overload(x: string): string;                  « f overload »
""",
    "zig": """
const std = @import("std");                            « v std »
/// pub fn gone() void {}
pub const Ring = struct {                              « t Ring »
    head: usize,
    pub fn push(self: *Ring, value: u8) !void {        « f push »
        const local = 1;
    }
    const Error = error{Full};                         « t Error »
};
pub fn List(comptime T: type) type {                   « t List »
}
export fn start() void {                               « f start »
    const text =
        \\\\pub fn fake() void {}
    ;
}
test "push fills" {                                    « f push fills »
}
var counter: u32 = 0;                                  « v counter »
""",
    "ada": """
-- procedure Gone is
package body Shop.Cart is                              « s Shop.Cart »
   type Line is record                                 « t Line »
   end record;
   procedure Add (Item : Line) is                      « f Add »
   begin
      null;
   end Add;
end Shop.Cart;
""",
    "assembly": """
; gone:
.equ LIMIT, 10                                         « v LIMIT »
_start:                                                « f _start »
    mov rax, 1
.L1:
    jmp .L1
""",
    "awk": """
# function gone()
function total(a, b) {                                 « f total »
    return a + b
}
{ print total($1, $2) }
""",
    "batch": """
REM :gone
set "ROOT=C:\\backup"                                   « v ROOT »
:rotate                                                « f rotate »
echo done
""",
    "clojure": """
(ns shop.cart                                          « s shop.cart »
  (:require [clojure.string :as str]))
; (defn gone [])
(def ^:private limit 10)                               « v limit »
(defn add!                                             « f add! »
  "Adds.
(defn fake [])"
  [cart item]
  (let [x 1] (assoc cart :x x)))
(defmacro with-cart [& body])                          « f with-cart »
(defrecord Line [sku])                                 « t Line »
(defprotocol Priced                                    « t Priced »
  (price [this]))
""",
    "cmake": """
# function(gone)
#[==[
function(gone)
#]]
]==]
project(shop LANGUAGES CXX)                            « t shop »
set(LIMIT 10)                                          « v LIMIT »
function(add_shop_test name)                           « f add_shop_test »
endfunction()
add_library(shop::core cart.cc)                        « t shop::core »
""",
    "crystal": """
class Cart < Base                                      « t Cart »
  def total(items : Array(Int32)) : Int32              « f total »
  end
end
""",
    "css": """
/* .gone { */
:root {
  --accent: #f00;                                      « v --accent »
}
.cart-line:hover, .cart {                              « t cart-line »
  color: red;
}
@mixin rounded($r) {                                   « f rounded »
}
$limit: 10px;                                          « v $limit »
""",
    "d": """
module shop;
struct Ring {                                          « t Ring »
}
int push(Ring r, int v) {                              « f push »
}
""",
    "dart": """
// class Gone {}
abstract class Cart extends Base {                     « t Cart »
  final List<Line> lines = [];                         « v lines »
  factory Cart.of(List<Line> lines) {                  « f Cart.of »
    return build(lines);
  }
  Future<void> load(String url) async {                « f load »
  }
  int get total => 0;                                  « f total »
}
extension CartText on Cart {                           « s CartText »
}
enum Mode { read, write }                              « t Mode »
""",
    "dockerfile": """
# FROM gone AS gone
FROM python:3.12 AS build                              « t build »
ARG VERSION=1                                          « v VERSION »
RUN make
""",
    "elisp": """
;; (defun gone ())
(defvar cart-limit 10                                  « v cart-limit »
  "Most lines.
(defun fake ())")
(defun cart-add (item)                                 « f cart-add »
  (let ((x ?\\")) x))
(cl-defstruct (cart-line (:copier nil)) sku)           « t cart-line »
(define-minor-mode cart-mode "Doc.")                   « f cart-mode »
(defcustom cart-name "x" "Name.")                      « v cart-name »
""",
    "elm": """
module Shop.Cart exposing (..)                         « s Shop.Cart »
{-| type Gone -}
type alias Line =                                      « t Line »
    { sku : String }
type Msg = Add | Remove                                « t Msg »
update : Msg -> Line -> Line                           « f update »
update msg line =
    line
""",
    "erlang": """
%% gone() ->
-module(cart).                                         « s cart »
-define(LIMIT, 10).                                    « v LIMIT »
-record(line, {sku}).                                  « t line »
add(Item, Cart) when is_list(Cart) ->                  « f add »
    check(Item),
    [Item | Cart].
""",
    "fish": """
function cart_add --argument item                      « f cart_add »
    set local 1
end
set -g CART_LIMIT 10                                   « v CART_LIMIT »
""",
    "fortran": """
! subroutine gone
module cart                                            « s cart »
  type :: line                                         « t line »
  end type
contains
  subroutine add(item)                                 « f add »
  end subroutine add
  pure integer function total(items)                   « f total »
  end function
end module
""",
    "fsharp": """
(* let gone x = x *)
module Shop.Cart                                       « s Shop.Cart »
type Line = { Sku: string }                            « t Line »
let limit = 10                                         « v limit »
let rec add item cart =                                « f add »
    let local = 1
    cart
type Store() =                                         « t Store »
    member this.Total(x) = x                           « f Total »
""",
    "glsl": """
// vec3 gone() {
#define LIGHTS 4                                       « v LIGHTS »
vec3 shade(vec3 normal, float power) {                 « f shade »
    return normalize(normal);
}
""",
    "graphql": '''
"""
type Gone
"""
type Cart implements Node {                            « t Cart »
  id: ID!
}
extend type Query { cart: Cart }                       « s Query »
mutation AddLine($sku: String) { add(sku: $sku) }      « f AddLine »
''',
    "groovy": """
class Cart extends Base {                              « t Cart »
    def add(item) {                                    « f add »
        def local = 1
    }
    static int total(List<Integer> parts) {            « f total »
    }
}
task('publishAll') {                                   « f publishAll »
}
""",
    "hcl": """
# resource "gone" "gone" {
variable "region" {                                    « v region »
  default = "eu"
}
resource "aws_s3_bucket" "backup" {                    « t aws_s3_bucket.backup »
  bucket = "shop"                                      « v bucket »
}
module "network" {                                     « t network »
}
""",
    "julia": '''
module Shop                                            « s Shop »
"""
function gone()
"""
const LIMIT = 10                                       « v LIMIT »
mutable struct Cart{T} <: Base                         « t Cart »
    lines::Vector{T}
end
function add!(cart::Cart, item)                        « f add! »
    local_total = total(cart)
end
total(cart::Cart) = sum(cart.lines)                    « f total »
macro twice(ex)                                        « f twice »
end
end
''',
    "just": """
limit := "10"                                          « v limit »
# gone:
test target='all': build                               « f test »
    pytest {{target}}
""",
    "lisp": """
#| (defun gone ()) |#
(defpackage :shop)                                     « s shop »
(defclass cart () ())                                  « t cart »
(defun add (item) item)                                « f add »
(define (total items)                                  « f total »
  (fold + 0 items))
(define limit 10)                                      « v limit »
""".replace("(define limit 10)                                      « v limit »\n", ""),
    "make": """
# gone: all
CC ?= gcc                                              « v CC »
LIMIT := 10                                            « v LIMIT »
.PHONY: all
all: build/cart.o tests                                « f all »
	$(CC) -o shop
define banner                                          « f banner »
endef
""",
    "matlab": """
% function gone()
classdef Cart < handle                                 « t Cart »
    methods
        function total = sumLines(obj, scale)          « f sumLines »
            local = 1;
        end
    end
end
""",
    "nim": """
# proc gone()
type
  Line* = object                                       « t Line »
    sku: string
const limit = 10                                       « v limit »
proc add*(cart: var Cart, item: Line): int =           « f add »
  let local = 1
""",
    "nix": """
{ pkgs, ... }:
{
  # gone = 1;
  services.cart.enable = true;                         « v services.cart.enable »
  mkLine = { sku, count }: sku;                        « f mkLine »
}
""",
    "ocaml": """
(* let gone x = x *)
module Ring = struct                                   « s Ring »
  type 'a t = { head : 'a }                            « t t »
  let push x ring =                                    « f push »
    let local = 1 in
    ring
end
exception Full of int                                  « t Full »
val total : int list -> int                            « f total »
let limit = 10                                         « v limit »
""",
    "pascal": """
{ procedure Gone; }
unit Cart;                                             « s Cart »
type
  TCart = class(TObject)                               « t TCart »
  end;
procedure TCart.Add(Item: TLine);                      « f TCart.Add »
begin
end;
""",
    "perl": """
# sub gone {
package Shop::Cart;                                    « t Shop::Cart »
use constant LIMIT => 10;                              « v LIMIT »
our $VERSION = '1.0';                                  « v VERSION »
sub add($$);
sub add {                                              « f add »
    my $local = shift;
}

=head1 NAME

sub fake {

=cut
""",
    "powershell": """
<#
function Gone {}
#>
class Cart {                                           « t Cart »
}
function Add-Line([string]$Sku) {                      « f Add-Line »
    $local = 1
}
$Limit = 10                                            « v Limit »
""",
    "prolog": """
% gone(X) :- true.
add(Item, Cart) :-                                     « f add »
    member(Item, Cart).
""",
    "proto": """
syntax = "proto3";
package shop.v1;                                       « s shop.v1 »
// message Gone {}
message Cart {                                         « t Cart »
  string id = 1;
}
service CartService {                                  « t CartService »
  rpc AddLine(Line) returns (Cart);                    « f AddLine »
}
""",
    "r": """
# gone <- function(x) x
limit <- 10                                            « v limit »
add_line <- function(cart, sku) {                      « f add_line »
  local <- 1
}
setClass("Cart", representation(id = "numeric"))       « t Cart »
Store <- R6Class("Store")                              « t Store »
""",
    "solidity": """
// contract Gone {}
contract Cart is Ownable {                             « t Cart »
    event Added(address who);                          « f Added »
    function add(uint sku) public returns (bool) {     « f add »
    }
}
""",
    "sql": """
-- create table gone (id int);
CREATE TABLE IF NOT EXISTS shop.cart (                 « t shop.cart »
  id integer primary key
);
create or replace function total(cart int) returns int as $$   « f total »
create unique index cart_owner on cart (owner);        « v cart_owner »
insert into cart values (1);
""",
    "starlark": '''
load("//tools:defs.bzl", "shop_test")
def shop_library(name, srcs = []):                     « f shop_library »
    """def fake(): pass"""
cc_library(
    name = "cart",                                     « f cart »
)
''',
    "svelte": """
<script>
  export let items = [];                               « v items »
  function add(item) {                                 « f add »
    const local = 1;
  }
</script>
<!-- function gone() {} -->
""",
    "tcl": """
# proc gone {} {}
namespace eval shop {                                  « s shop »
    proc add {item} {                                  « f add »
    }
}
""",
    "verilog": """
/* module gone; */
module counter #(parameter WIDTH = 8) (                « t counter »
  input clk
);
  localparam LIMIT = 10;                               « v LIMIT »
  function [7:0] next(input [7:0] x);                  « f next »
  endfunction
endmodule
""",
    "vhdl": """
-- entity gone is
entity counter is                                      « t counter »
end entity;
architecture rtl of counter is                         « s rtl »
begin
end architecture;
""",
    "vim": """
" function! gone()
let g:cart_limit = 10                                  « v g:cart_limit »
function! cart#add(item) abort                         « f cart#add »
  let s:local = 1
endfunction
command! -nargs=1 CartAdd call cart#add(<f-args>)      « f CartAdd »
augroup cart                                           « s cart »
augroup END
""",
    "visualbasic": """
' Sub Gone()
Public Class Cart                                      « t Cart »
    Private Sub Add(item As String)                    « f Add »
    End Sub
    Public Function Total() As Integer                 « f Total »
    End Function
End Class
""",
    "vue": """
<template>
  <div @click="add">x</div>
</template>
<script setup lang="ts">
const items = ref([]);                                 « v items »
const add = (item: Line) => {                          « f add »
};
</script>
""",
}
