// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stablecoin} from "../../src/Stablecoin.sol";
import {SwapPool} from "../../src/swap/SwapPool.sol";
import {StablecoinFixture} from "./StablecoinFixture.sol";
import {vm} from "./Vm.sol";

/// A pool of a million of each token, with a spread of 20 basis points around the quoted rate.
abstract contract SwapFixture is StablecoinFixture {
    uint256 internal constant QUOTER_KEY = 0x907e;
    uint256 internal constant RATE = 1.08e18;
    uint256 internal constant INVENTORY = 1_000_000e6;
    uint256 internal constant MOST_PER_SWAP = 100_000e6;
    uint256 internal constant LEAST_INVENTORY = 50_000e6;
    uint256 internal constant FOREVER = type(uint256).max;
    address internal constant OWNER = address(0x0713e4);
    address internal constant RECIPIENT = address(0x4ec);

    Stablecoin internal eurc;
    SwapPool internal pool;

    function setUp() public virtual override {
        super.setUp();
        eurc = new Stablecoin("EURC", "EURC", "EUR", ADMINISTRATOR);
        vm.prank(ADMINISTRATOR);
        eurc.configureMinter(MINTER, type(uint128).max);
        pool = new SwapPool(address(token), address(eurc), OWNER, vm.addr(QUOTER_KEY));
        vm.prank(OWNER);
        pool.setTerms(20, 1e18, 1.2e18);
        vm.prank(OWNER);
        pool.setLimits(address(token), MOST_PER_SWAP, LEAST_INVENTORY);
        vm.prank(OWNER);
        pool.setLimits(address(eurc), MOST_PER_SWAP, LEAST_INVENTORY);
        give(token, address(pool), INVENTORY);
        give(eurc, address(pool), INVENTORY);
    }

    function give(Stablecoin coin, address account, uint256 amount) internal {
        vm.prank(MINTER);
        coin.mint(account, amount);
    }

    function fundTrader(Stablecoin coin, uint256 amount) internal {
        give(coin, ALICE, amount);
        vm.prank(ALICE);
        coin.approve(address(pool), type(uint256).max);
    }

    function quoteFor(Stablecoin coin, uint256 amountIn, bytes32 quoteId)
        internal
        view
        returns (SwapPool.Quote memory)
    {
        return SwapPool.Quote(ALICE, address(coin), amountIn, RATE, NOW + 1 minutes, quoteId);
    }

    function orderFor(uint256 minAmountOut) internal pure returns (SwapPool.Order memory) {
        return SwapPool.Order(minAmountOut, RECIPIENT, NOW + 2 minutes);
    }

    /// By the definition of EIP-712, not by the contract's own word.
    function signQuote(uint256 key, SwapPool.Quote memory quote) internal view returns (bytes memory) {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("SwapPool"),
                keccak256("1"),
                block.chainid,
                address(pool)
            )
        );
        bytes32 quoteHash = keccak256(
            abi.encode(
                keccak256(
                    "Quote(address trader,address tokenIn,uint256 amountIn,uint256 rate,uint256 expiresAt,bytes32 quoteId)"
                ),
                quote.trader,
                quote.tokenIn,
                quote.amountIn,
                quote.rate,
                quote.expiresAt,
                quote.quoteId
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, quoteHash)));
        return abi.encodePacked(r, s, v);
    }

    function swapAs(address trader, SwapPool.Quote memory quote, SwapPool.Order memory order)
        internal
        returns (uint256)
    {
        bytes memory signature = signQuote(QUOTER_KEY, quote);
        vm.prank(trader);
        return pool.swap(quote, signature, order);
    }
}
