// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Stablecoin} from "../../src/Stablecoin.sol";
import {ContractWallet} from "./ContractWallet.sol";
import {vm} from "./Vm.sol";

/// A token with one minter, three accounts that can sign and one wallet with code.
abstract contract StablecoinFixture {
    struct Authorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant ALICE_KEY = 0xa11ce;
    uint256 internal constant BOB_KEY = 0xb0b;
    uint256 internal constant KEEPER_KEY = 0x6ee9;
    address internal immutable ALICE = vm.addr(ALICE_KEY);
    address internal immutable BOB = vm.addr(BOB_KEY);
    address internal constant CAROL = address(0xca401);
    address internal constant ADMINISTRATOR = address(0xad317);
    address internal constant MINTER = address(0x33173);
    address internal constant STRANGER = address(0x57a);
    bytes internal constant BLOCKED = "Blacklistable: account is blacklisted";
    bytes internal constant PAUSED = "Pausable: paused";

    Stablecoin internal token;
    ContractWallet internal wallet;

    function setUp() public virtual {
        vm.warp(NOW);
        token = new Stablecoin("USDC", "USDC", "USD", ADMINISTRATOR);
        wallet = new ContractWallet(vm.addr(KEEPER_KEY));
        vm.prank(ADMINISTRATOR);
        token.configureMinter(MINTER, type(uint128).max);
    }

    function mintTo(address account, uint256 amount) internal {
        vm.prank(MINTER);
        token.mint(account, amount);
    }

    function blockAccount(address account) internal {
        vm.prank(ADMINISTRATOR);
        token.blacklist(account);
    }

    function pauseToken() internal {
        vm.prank(ADMINISTRATOR);
        token.pause();
    }

    /// The domain by its definition, not by the token's own word.
    function domainSeparator() internal view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("USDC"),
                keccak256("2"),
                block.chainid,
                address(token)
            )
        );
    }

    function digestOf(bytes32 structHash) internal view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domainSeparator(), structHash));
    }

    function signStruct(uint256 key, bytes32 structHash) internal view returns (uint8 v, bytes32 r, bytes32 s) {
        return vm.sign(key, digestOf(structHash));
    }

    function packed(uint256 key, bytes32 structHash) internal view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = signStruct(key, structHash);
        return abi.encodePacked(r, s, v);
    }

    function transferHash(Authorization memory a) internal pure returns (bytes32) {
        return hashWith(
            "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
            a
        );
    }

    function receiveHash(Authorization memory a) internal pure returns (bytes32) {
        return hashWith(
            "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)",
            a
        );
    }

    function hashWith(string memory typeText, Authorization memory a) private pure returns (bytes32) {
        return
            keccak256(
                abi.encode(keccak256(bytes(typeText)), a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce)
            );
    }

    function cancelHash(address authorizer, bytes32 nonce) internal pure returns (bytes32) {
        return
            keccak256(abi.encode(keccak256("CancelAuthorization(address authorizer,bytes32 nonce)"), authorizer, nonce));
    }

    function permitHash(address owner, address spender, uint256 value, uint256 nonce, uint256 deadline)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                owner,
                spender,
                value,
                nonce,
                deadline
            )
        );
    }

    /// Valid for an hour around NOW.
    function authorization(address from, address to, uint256 value, bytes32 nonce)
        internal
        pure
        returns (Authorization memory)
    {
        return Authorization(from, to, value, NOW - 1, NOW + 1 hours, nonce);
    }

    function submitTransfer(Authorization memory a, bytes memory signature) internal {
        token.transferWithAuthorization(a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature);
    }

    function submitReceive(Authorization memory a, bytes memory signature) internal {
        token.receiveWithAuthorization(a.from, a.to, a.value, a.validAfter, a.validBefore, a.nonce, signature);
    }
}
