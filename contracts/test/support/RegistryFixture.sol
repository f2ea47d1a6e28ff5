// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IdentityRegistry} from "../../src/registries/IdentityRegistry.sol";
import {ReputationRegistry} from "../../src/registries/ReputationRegistry.sol";
import {SignedCalls} from "../../src/registries/SignedCalls.sol";
import {ValidationRegistry} from "../../src/registries/ValidationRegistry.sol";
import {ContractWallet} from "./ContractWallet.sol";
import {vm} from "./Vm.sol";

/// The registries, and accounts that sign what a relayer sends.
abstract contract RegistryFixture {
    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant ALICE_KEY = 0xa11ce;
    uint256 internal constant BOB_KEY = 0xb0b;
    uint256 internal constant KEEPER_KEY = 0x6ee9;
    address internal immutable ALICE = vm.addr(ALICE_KEY);
    address internal immutable BOB = vm.addr(BOB_KEY);
    address internal constant CAROL = address(0xca401);
    address internal constant STRANGER = address(0x57a);
    address internal constant RELAYER = address(0x4e1a7);

    SignedCalls internal calls;
    IdentityRegistry internal identities;
    ReputationRegistry internal reputations;
    ValidationRegistry internal validations;
    ContractWallet internal wallet;

    function setUp() public virtual {
        vm.warp(NOW);
        calls = new SignedCalls();
        identities = new IdentityRegistry(address(calls));
        reputations = new ReputationRegistry(address(calls), address(identities));
        validations = new ValidationRegistry(address(calls), address(identities));
        wallet = new ContractWallet(vm.addr(KEEPER_KEY));
    }

    function register(address owner) internal returns (uint256 agentId) {
        vm.prank(owner);
        return identities.register();
    }

    function rate(address client, uint256 agentId, int128 value, uint8 decimals, string memory tag1) internal {
        vm.prank(client);
        reputations.giveFeedback(agentId, value, decimals, tag1, "", "", "", "");
    }

    function request(address owner, address validator, uint256 agentId, bytes32 requestHash) internal {
        vm.prank(owner);
        validations.validationRequest(validator, agentId, "uri", requestHash);
    }

    function respond(address validator, bytes32 requestHash, uint8 response, string memory tag) internal {
        vm.prank(validator);
        validations.validationResponse(requestHash, response, "uri", "hash", tag);
    }

    function callOf(address from, address to, bytes memory data, bytes32 nonce)
        internal
        pure
        returns (SignedCalls.Call memory)
    {
        return SignedCalls.Call(from, to, data, nonce, NOW + 1 hours, RELAYER);
    }

    function sign(uint256 key, SignedCalls.Call memory signedCall) internal view returns (bytes memory) {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Call(address from,address to,bytes data,bytes32 nonce,uint256 deadline,address relayer)"),
                signedCall.from,
                signedCall.to,
                keccak256(signedCall.data),
                signedCall.nonce,
                signedCall.deadline,
                signedCall.relayer
            )
        );
        return signIn(key, "SignedCalls", address(calls), structHash);
    }

    /// In the domain by its definition, not by the contract's own word.
    function signIn(uint256 key, string memory name, address target, bytes32 structHash)
        internal
        view
        returns (bytes memory)
    {
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                block.chainid,
                target
            )
        );
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, keccak256(abi.encodePacked(hex"1901", domain, structHash)));
        return abi.encodePacked(r, s, v);
    }

    function send(SignedCalls.Call memory signedCall, bytes memory signature) internal returns (bytes memory) {
        vm.prank(RELAYER);
        return calls.execute(signedCall, signature);
    }

    function only(address account) internal pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = account;
    }

    function unknownAgent(uint256 agentId) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("ERC721NonexistentToken(uint256)", agentId);
    }
}
